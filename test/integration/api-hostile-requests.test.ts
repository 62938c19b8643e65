/** Requests that are malformed by their bytes: each is refused as the catalogue says, and writes nothing. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/kernel/errors.ts";
import { dumpLedger } from "../fixtures/owner-dump.ts";
import { createOwnerWorld, type OwnerWorld } from "../fixtures/owner-world.ts";
import { sendRaw } from "../fixtures/raw-http.ts";

const MIB = 1024 * 1024;
const ADD = '{"title":"Smuggled","brief":{"objective":"x"}}';

interface Parts {
  readonly line?: string;
  readonly headers?: readonly string[];
  /** Instead of `content-length`. */
  readonly length?: readonly string[];
  readonly body?: string;
  readonly key?: string;
}

/** A request that would add a task, but for what is given. */
function request({ operatorKey, commandId }: OwnerWorld, parts: Parts): string {
  const { line = "POST /v1/task.add HTTP/1.1", headers = [], body = ADD, key = operatorKey() } = parts;
  const length = parts.length ?? [`content-length: ${body.length}`];
  return [
    line,
    ...(headers.some((header) => header.startsWith("host")) ? [] : ["host: x"]),
    ...(headers.some((header) => /^authorization/i.test(header)) ? [] : [`authorization: Bearer ${key}`]),
    ...(headers.some((header) => /^content-type/i.test(header)) ? [] : ["content-type: application/json"]),
    ...(headers.some((header) => /^swarm-gen-command/i.test(header))
      ? []
      : [`swarm-gen-command: ${commandId()}`]),
    ...headers,
    ...length,
    "",
    body,
  ].join("\r\n");
}

const KEY = (letter: string) => `sgk_${letter.repeat(64)}`;
const chunked = ["transfer-encoding: chunked"];
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

const HOSTILE: Readonly<Record<string, Parts>> = {
  ...Object.fromEntries(
    ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "post"].map((verb) => [
      `the verb ${verb}`,
      { line: `${verb} /v1/task.add HTTP/1.1` },
    ]),
  ),
  ...Object.fromEntries(
    [
      ...["/", "*", "/v1", "/v1/", "/v1/task.add/", "//v1/task.add", "/v1/../v1/task.add", "/V1/task.add"],
      ...[
        "/v1/task%2eadd",
        "/v1/__proto__",
        "/v1/constructor",
        "/v1/to-string",
        "/v1/task.add.",
        "/v1/task..add",
      ],
      ...[
        "http://x/v1/task.add",
        "/v1/task.add%00",
        "/v1/\xff\xfe",
        `/v1/${"a".repeat(12_000)}`,
        "/v2/task.add",
      ],
      ...["/v1/owner.key", "/v1/task.add;x", "/v1/batch.batch", "/v1/events", "/v1/descriptor"],
    ].map((path) => [`the path ${path.slice(0, 40)}`, { line: `POST ${path} HTTP/1.1` }]),
  ),
  "HTTP/1.0's own idea of a version": { line: "POST /v1/task.add HTTP/3.7" },
  "a request without a host": { headers: ["hostess: x"] },
  "two hosts": { headers: ["host: x", "host: y"] },
  "a header without a colon": { headers: ["nonsense"] },
  "a header with a space before its colon": { headers: ["x : y"] },
  "a header that is folded": { headers: ["x: y\r\n z"] },
  "a header with NUL": { headers: ["x: a\0b"] },
  "a header that is too large": { headers: [`x: ${"y".repeat(20_000)}`] },
  "more headers than anybody needs": { headers: Array.from({ length: 2500 }, (_, n) => `x${n}: ${n}`) },
  "two lengths": { length: ["content-length: 46", "content-length: 4"] },
  "a length twice": { length: ["content-length: 46, 46"] },
  "a negative length": { length: ["content-length: -1"] },
  "a length with a sign": { length: ["content-length: +46"] },
  "a length in hex": { length: ["content-length: 0x2e"] },
  "a length beyond all numbers": { length: [`content-length: 1${"0".repeat(30)}`] },
  "a length that is longer than the body": { length: ["content-length: 4000"] },
  "a length and chunks": { length: ["content-length: 46", ...chunked] },
  "chunks that are said twice": { length: ["transfer-encoding: chunked, chunked"] },
  "another coding than chunks": { length: ["transfer-encoding: gzip"] },
  "chunks that are hidden": { length: ["transfer-encoding: \x0bchunked"] },
  "a chunk whose length is no number": { length: chunked, body: `zz\r\n${ADD}\r\n0\r\n\r\n` },
  "a chunk whose length is negative": { length: chunked, body: `-2e\r\n${ADD}\r\n0\r\n\r\n` },
  "a chunk beyond all numbers": { length: chunked, body: `${"f".repeat(20)}\r\n${ADD}` },
  "a chunk that is longer than it says": { length: chunked, body: `5\r\n${ADD}\r\n0\r\n\r\n` },
  "chunks without an end": { length: chunked, body: `2e\r\n${ADD}\r\n` },
  "no body": { body: "" },
  "a body of 1 MiB and one byte": { body: " ".repeat(MIB + 1 - ADD.length) + ADD },
  "chunks of 1 MiB and one byte": {
    length: chunked,
    body: `100001\r\n${" ".repeat(MIB + 1 - ADD.length)}${ADD}\r\n0\r\n\r\n`,
  },
  "a million levels": { body: deep(500_000) },
  "sixty-six levels": { body: `{"title":"x","brief":${deep(65)}}` },
  "half a JSON": { body: ADD.slice(0, -1) },
  "two JSONs": { body: ADD + ADD },
  "a mark of byte order": { body: `\xef\xbb\xbf${ADD}` },
  "text that is no UTF-8": { body: ADD.replace("Smuggled", "\xc3\x28") },
  "UTF-16": { body: Buffer.from(ADD, "utf16le").toString("latin1") },
  "another prototype": { body: '{"title":"x","brief":{"objective":"x"},"__proto__":{"polluted":true}}' },
  "another prototype within": {
    body: '{"title":"x","brief":{"objective":"x","__proto__":{"polluted":true}}}',
  },
  "a constructor": {
    body: '{"title":"x","brief":{"objective":"x"},"constructor":{"prototype":{"polluted":1}}}',
  },
  "NUL in a title": { body: '{"title":"a\\u0000b","brief":{"objective":"x"}}' },
  "half a surrogate in a title": { body: '{"title":"\\ud800","brief":{"objective":"x"}}' },
  "half a surrogate in a brief": { body: '{"title":"x","brief":{"objective":"\\udc00 x"}}' },
  "a right-to-left override in a title": { body: '{"title":"a\\u202eb","brief":{"objective":"x"}}' },
  "another content type": { headers: ["content-type: text/plain"] },
  "no content type": { headers: ["content-type-: x"] },
  "no capability": { headers: ["authorization: Bearer "] },
  "another scheme": { headers: ["authorization: Basic b3BlcmF0b3I6eA=="] },
  "a capability of nobody's": { key: KEY("0") },
  "a capability in capitals": { key: KEY("A") },
  "a capability that is SQL": { key: "sgk_' OR 1=1 --" },
  "a command id of another version": {
    headers: ["swarm-gen-command: 3f2504e0-4f89-41d3-9a0c-0305e82c3301"],
  },
  "a command id in capitals": { headers: ["swarm-gen-command: 0198A000-0000-7000-8000-00000000000A"] },
  "a command id of 1970": { headers: ["swarm-gen-command: 00000000-0001-7000-8000-000000000001"] },
  "a command id of the far future": { headers: ["swarm-gen-command: ffffffff-ffff-7fff-bfff-ffffffffffff"] },
  "two command ids": {
    headers: [
      "swarm-gen-command: 0198a000-0000-7000-8000-00000000000a",
      "swarm-gen-command: 0198a000-0000-7000-8000-00000000000b",
    ],
  },
  "no version's range": { headers: ["swarm-gen-api: newest"] },
  "a range the wrong way around": { headers: ["swarm-gen-api: 9-1"] },
  "versions to come": { headers: ["swarm-gen-api: 900-901"] },
};

async function refused(world: OwnerWorld, what: string, parts: Parts): Promise<string | null> {
  const { status, body, text } = await sendRaw(world.layout.socket, request(world, parts));
  const code = body?.code;
  const isTyped =
    status !== null &&
    status >= 400 &&
    status < 500 &&
    typeof code === "string" &&
    Object.hasOwn(CATALOGUE, code) &&
    CATALOGUE[code as keyof typeof CATALOGUE].http === status;
  return isTyped ? null : `${what}: ${text.slice(0, 300)}`;
}

describe("a request that is malformed", () => {
  it("is refused with a code of the catalogue, whatever is wrong with it, and adds nothing", async () => {
    const world = createOwnerWorld();
    await world.start({ bounds: { headWithinMs: 500, requestWithinMs: 800, checkEveryMs: 50 } });
    const before = dumpLedger(world.layout.ledger);
    const told = await Promise.all(
      Object.entries(HOSTILE).map(([what, parts]) => refused(world, what, parts)),
    );
    expect(told.filter((each) => each !== null)).toEqual([]);
    expect(dumpLedger(world.layout.ledger)).toEqual(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((await world.http({ path: "/v1/task.ls", body: {} })).body).toMatchObject({ tasks: [] });
    expect(readFileSync(world.layout.log, "utf8")).not.toContain('"what":"bug"');
  });

  it("would have been done otherwise: the same request is done, in one piece, in chunks, with a body of 1 MiB", async () => {
    const world = createOwnerWorld();
    await world.start();
    const good: Parts[] = [
      {},
      { length: chunked, body: `2e\r\n${ADD}\r\n0\r\nx: y\r\n\r\n` },
      { body: " ".repeat(MIB - ADD.length) + ADD },
      { headers: ["expect: 100-continue"] },
      { headers: ["expect: a-miracle"] },
    ];
    for (const parts of good) {
      const { text } = await sendRaw(world.layout.socket, request(world, parts), 1_000);
      expect(text).toContain("HTTP/1.1 200 OK");
    }
    const { body } = await world.http({ path: "/v1/task.ls", body: {} });
    expect(body.tasks).toHaveLength(5);
  });
});
