/** The owner's log: whole lines, bounded files, no secrets. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readLastLines } from "../../src/operations/scope/read-log.ts";
import { createLog } from "../../src/owner/log/rotating-log.ts";
import { makeFastFolder } from "../fixtures/fast-folder.ts";

function place() {
  const folder = makeFastFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, path: join(folder, "owner.log") };
}

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) };

it("is one JSON object a line, with instant, level and process", () => {
  const { path } = place();
  const log = createLog({ path, clock, pid: 7 });
  log.write("info", "serving", { socket: "/s" });
  log.write("error", "bug", { message: "two\nlines" });
  log.close();
  expect(readFileSync(path, "utf8").split("\n")).toEqual([
    '{"at":"2026-01-02T03:04:05.000Z","level":"info","pid":7,"what":"serving","socket":"/s"}',
    '{"at":"2026-01-02T03:04:05.000Z","level":"error","pid":7,"what":"bug","message":"two\\nlines"}',
    "",
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("is moved aside when it has grown, five files at most, and its end is read across them", () => {
  const { folder, path } = place();
  const log = createLog({ path, clock, pid: 7, mostBytes: 1000 });
  for (let number = 0; number < 200; number += 1) log.write("info", `line ${number}`);
  log.close();
  expect(readdirSync(folder).toSorted()).toEqual([
    "owner.1.log",
    "owner.2.log",
    "owner.3.log",
    "owner.4.log",
    "owner.log",
  ]);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1000);
  const last = readLastLines(path, 15)?.map((line) => (JSON.parse(line) as { what: string }).what);
  expect(last).toEqual(Array.from({ length: 15 }, (_, index) => `line ${185 + index}`));
  expect(readLastLines(join(folder, "none.log"), 5)).toBeNull();
});

it("holds no secret that comes in a message, and no endless line", () => {
  const { path } = place();
  const log = createLog({ path, clock, pid: 7 });
  const secret = `sgk_${"5a".repeat(32)}`;
  log.write("error", "bug", { message: `authorization: Bearer ${secret}`, nested: { text: secret } });
  log.write("error", "bug", { stack: "x".repeat(1024 * 1024) });
  log.close();
  const text = readFileSync(path, "utf8");
  expect(text).not.toContain("5a5a5a");
  expect(text.length).toBeLessThan(64 * 1024);
  for (const line of text.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
});

it("that cannot be moved aside goes on in its own file, and never in another's that took its number", () => {
  const { folder, path } = place();
  const log = createLog({ path, clock, pid: 7, mostBytes: 200 });
  for (const name of ["owner.3.log", "owner.4.log"]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "kept"), "");
  }
  log.write("info", "first", { text: "x".repeat(200) });
  log.write("info", "second", { text: "x".repeat(200) });
  const other = openSync(join(folder, "ledger"), "w");
  log.write("info", "third");
  log.close();
  closeSync(other);
  expect(readFileSync(join(folder, "ledger"), "utf8")).toBe("");
  expect(readFileSync(path, "utf8")).toContain('"third"');
});
