/** Responses are read the same however the network cuts them, and what is no response is refused. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createEventLines, type ServerSentEvent } from "../../src/client/event-lines.ts";
import { createResponseParser } from "../../src/client/response-parser.ts";

interface Read {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

/** The whole responses in `pieces`, and whether their end cut none short. */
function readAll(pieces: readonly Buffer[]): { readonly read: Read[]; readonly isWhole: boolean } {
  const read: Read[] = [];
  let current = { status: 0, type: undefined as string | undefined, body: "" };
  const parser = createResponseParser({
    head({ status, headers }) {
      current = { status, type: headers.get("content-type"), body: "" };
    },
    body(piece) {
      current.body += piece.toString("latin1");
    },
    end: () => void read.push(current),
  });
  for (const piece of pieces) parser.feed(piece);
  return { read, isWhole: parser.finish() };
}

const WIRE = [
  "HTTP/1.1 100 Continue\r\n\r\n",
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}',
  "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nTransfer-Encoding: chunked\r\n\r\n",
  "5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nx-trailer: 1\r\n\r\n",
  "HTTP/1.1 204 No Content\r\n\r\n",
  "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
].join("");

const EXPECTED: Read[] = [
  { status: 200, type: "application/json", body: '{"a":1}' },
  { status: 503, type: "application/problem+json", body: "hello world" },
  { status: 204, type: undefined, body: "" },
  { status: 200, type: undefined, body: "" },
];

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

it("four responses on one connection are the same wherever they are cut", () => {
  const bytes = Buffer.from(WIRE, "latin1");
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (places) => {
      expect(readAll(cut(bytes, places))).toEqual({ read: EXPECTED, isWhole: true });
    }),
  );
  expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual({ read: EXPECTED, isWhole: true });
});

it("one that ends with the connection is whole, one that is cut short is not", () => {
  const rest = Buffer.from("HTTP/1.1 200 OK\r\n\r\nall of it");
  expect(readAll([rest])).toEqual({
    read: [{ status: 200, type: undefined, body: "all of it" }],
    isWhole: true,
  });
  const half = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
  expect(readAll([half])).toEqual({ read: [], isWhole: false });
  expect(readAll([Buffer.from("HTTP/1.1 2")]).isWhole).toBe(false);
});

it("what is no HTTP/1.1, or has no end, is a fault", () => {
  const faulty = [
    "SSH-2.0-OpenSSH\r\n\r\n",
    "HTTP/1.1 200 OK\r\nno name\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabc\r\n",
    `HTTP/1.1 200 OK\r\nx: ${"y".repeat(70_000)}`,
  ];
  for (const text of faulty) expect(() => readAll([Buffer.from(text)]), text.slice(0, 40)).toThrow();
});

it("server-sent events are the same wherever they are cut, and a comment is none", () => {
  const bytes = Buffer.from(
    'id: 1\ndata: {"ä":1}\n\n:\n\nevent: gap\ndata: {"first":7}\n\nid: 2\ndata: half',
    "utf8",
  );
  const expected: ServerSentEvent[] = [
    { name: "", data: '{"ä":1}' },
    { name: "gap", data: '{"first":7}' },
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (places) => {
      const seen: ServerSentEvent[] = [];
      const lines = createEventLines((event) => void seen.push(event));
      for (const piece of cut(bytes, places)) lines.feed(piece);
      expect(seen).toEqual(expected);
    }),
  );
});
