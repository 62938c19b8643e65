/**
 * Promise: a ledger is created once and opened ever after; what is not this scope's ledger, or is
 * newer, damaged or busy, is refused by its own code and stays as it was, byte for byte.
 */
import { mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createCoordinator } from "../../src/coordinator/create-coordinator.ts";
import { describeLedger } from "../../src/coordinator/ledger/describe-ledger.ts";
import { lookAtLedger } from "../../src/coordinator/ledger/look-at-ledger.ts";
import { createLedger, openLedger } from "../../src/coordinator/ledger/open-ledger.ts";
import { noFailpoints } from "../../src/kernel/failpoints.ts";
import { codeOf, refusalOf } from "../fixtures/coded-error.ts";
import { killAfterSql } from "../fixtures/kill-after-sql.ts";
import { makeLedgerFolder } from "../fixtures/ledger-folder.ts";
import { randomIds } from "../fixtures/ledger-load.ts";
import { SCOPE } from "../fixtures/ledger-scope.ts";

const open = (path: string, instance: string = SCOPE.instance) => openLedger({ path, instance }).close();

test("a ledger that is not there is never made by opening it", () => {
  const { path, folder } = makeLedgerFolder();
  expect(codeOf(() => open(path))).toBe("not_found");
  expect(readdirSync(folder)).toEqual([]);
});

test("a ledger that is there is never made anew", () => {
  const ledger = makeLedgerFolder();
  ledger.create();
  const before = ledger.bytes();
  expect(codeOf(() => ledger.create())).toBe("wrong_state");
  expect(ledger.bytes()).toEqual(before);
});

test("what a creation that was killed left behind is no ledger, and no hindrance", () => {
  const ledger = makeLedgerFolder();
  writeFileSync(`${ledger.path}.new`, "half a ledger");
  expect(codeOf(() => open(ledger.path))).toBe("not_found");
  ledger.create();
  expect(readdirSync(ledger.folder)).toEqual(["ledger.sqlite"]);
  expect(lookAtLedger({ path: ledger.path })).toEqual({
    ...SCOPE,
    createdAt: 1,
    schema: { major: 1, minor: 0 },
  });
});

test("a ledger in memory has the same schema and leaves no file", () => {
  const { folder } = makeLedgerFolder();
  const here = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(here));
  const db = createLedger({ path: ":memory:", ...SCOPE, now: 1 });
  expect(db.prepare("SELECT instance FROM scope").pluck().get()).toBe("one");
  db.close();
  expect(readdirSync(folder)).toEqual([]);
});

test("file, log and index of it are private whatever the umask is", () => {
  const { path } = makeLedgerFolder();
  const umask = process.umask(0);
  try {
    const db = createLedger({ path, ...SCOPE, now: 1 });
    db.exec("UPDATE service SET served_at = 2");
    const modes = ["", "-wal", "-shm"].map((end) => (statSync(path + end).mode & 0o777).toString(8));
    db.close();
    expect(modes).toEqual(["600", "600", "600"]);
  } finally {
    process.umask(umask);
  }
});

test("a ledger of another instance is refused untouched, with both named", () => {
  const ledger = makeLedgerFolder();
  ledger.create();
  const before = ledger.bytes();
  const refusal = refusalOf(() => open(ledger.path, "two"));
  expect(refusal).toMatchObject({ code: "ledger_foreign", fields: { found: "one", expected: "two" } });
  expect(ledger.bytes()).toEqual(before);
});

test("a newer major is refused untouched, and says that this program is the older side", () => {
  const ledger = makeLedgerFolder();
  ledger.create();
  ledger.tamper("PRAGMA user_version = 2000");
  const before = ledger.bytes();
  const refusal = refusalOf(() => open(ledger.path));
  expect(refusal).toMatchObject({
    code: "ledger_newer",
    message: "The ledger has schema 2; this swarm-gen is older and knows 1.",
    fields: { schema: 2, known: 1, older: "swarm-gen", changed: false },
  });
  expect(ledger.bytes()).toEqual(before);
});

test("a newer major whose owner was killed is refused with file and log as they were", async () => {
  const ledger = makeLedgerFolder();
  ledger.create();
  await killAfterSql(ledger.path, "PRAGMA user_version = 2000");
  const before = ledger.bytes();
  expect(Object.keys(before)).toEqual(["ledger.sqlite", "ledger.sqlite-shm", "ledger.sqlite-wal"]);
  expect(codeOf(() => open(ledger.path))).toBe("ledger_newer");
  const { "ledger.sqlite-shm": _shm, ...after } = ledger.bytes();
  const { "ledger.sqlite-shm": _was, ...expected } = before;
  expect(after).toEqual(expected);
});

test("a newer major in WAL mode, closed without a log, is refused and gets none", () => {
  const ledger = makeLedgerFolder();
  ledger.create();
  const db = new Database(ledger.path);
  db.exec("PRAGMA user_version = 2000");
  db.close();
  const before = ledger.bytes();
  expect(Object.keys(before)).toEqual(["ledger.sqlite"]);
  expect(codeOf(() => open(ledger.path))).toBe("ledger_newer");
  expect(ledger.bytes()).toEqual(before);
});

test("a look takes nothing away from a process that has begun to use the log", () => {
  const ledger = makeLedgerFolder();
  ledger.create();
  const owner = openLedger({ path: ledger.path, instance: "one" });
  lookAtLedger({ path: ledger.path });
  owner.exec("UPDATE service SET served_at = 7");
  lookAtLedger({ path: ledger.path });
  owner.close();
  expect(ledger.query("SELECT served_at FROM service")).toEqual([{ served_at: 7 }]);
});

test("a look at a ledger in WAL mode leaves no file behind", () => {
  const ledger = makeLedgerFolder();
  ledger.create();
  open(ledger.path);
  const before = ledger.bytes();
  lookAtLedger({ path: ledger.path });
  expect(ledger.bytes()).toEqual(before);
  expect(Object.keys(before)).toEqual(["ledger.sqlite"]);
});

test("a database of another program and a file that is no database are foreign, and stay as they were", () => {
  const ledger = makeLedgerFolder();
  ledger.tamper("CREATE TABLE theirs (n INTEGER); INSERT INTO theirs VALUES (1)");
  const theirs = ledger.bytes();
  expect(codeOf(() => open(ledger.path))).toBe("ledger_foreign");
  expect(ledger.bytes()).toEqual(theirs);
  writeFileSync(ledger.path, "no database at all, but rather long a text ".repeat(100));
  const text = ledger.bytes();
  expect(codeOf(() => open(ledger.path))).toBe("ledger_foreign");
  expect(ledger.bytes()).toEqual(text);
});

test("a file that lost its content, its end or its schema is damaged, and never made anew", () => {
  const ledger = makeLedgerFolder();
  const spoil: (() => void)[] = [
    () => truncateSync(ledger.path, 0),
    () => truncateSync(ledger.path, 4096 * 3),
    () => ledger.tamper("DELETE FROM scope"),
    () => ledger.tamper("DROP TABLE delivery"),
  ];
  for (const act of spoil) {
    ledger.create();
    act();
    const before = ledger.bytes();
    expect(
      codeOf(() => open(ledger.path)),
      act.toString(),
    ).toBe("ledger_damaged");
    expect(ledger.bytes(), act.toString()).toEqual(before);
    rmSync(ledger.path);
  }
});

test("a ledger that another process keeps busy is busy, not damaged (P9)", () => {
  const ledger = makeLedgerFolder();
  ledger.create();
  ledger.tamper("SELECT 1");
  const other = new Database(ledger.path);
  onTestFinished(() => void other.close());
  other.exec("BEGIN EXCLUSIVE");
  expect(
    refusalOf(() => openLedger({ path: ledger.path, instance: "one", busyTimeoutMs: 20 })),
  ).toMatchObject({
    code: "overloaded",
    fields: { changed: false },
  });
  other.exec("ROLLBACK");
  open(ledger.path);
});

test("a folder in the ledger's place makes it unavailable, not missing", () => {
  const { path, folder } = makeLedgerFolder();
  mkdirSync(join(folder, "ledger.sqlite"));
  expect(codeOf(() => open(path))).toBe("ledger_unavailable");
});

test("a coordinator that closes notes until when it served, and the file says so to a reader", () => {
  const { path } = makeLedgerFolder();
  const db = createLedger({ path, ...SCOPE, now: 1 });
  const coordinator = createCoordinator({
    db,
    clock: { now: () => Date.parse("2026-01-02T03:04:05.678Z") },
    ids: randomIds,
    failpoints: noFailpoints,
    defer() {},
  });
  coordinator.close();
  const again = openLedger({ path, instance: SCOPE.instance });
  onTestFinished(() => void again.close());
  expect(describeLedger(again).servedAt).toBe("2026-01-02T03:04:05.678Z");
});
