/**
 * Promise: a batch that the disk, a lock or a commit fails is answered as one that changed nothing,
 * and it has changed nothing; what was acknowledged before stands; once the cause is gone, the same
 * commands are applied once each.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { type Answer, applyBatch, type Command } from "../../src/coordinator/commit/apply-batch.ts";
import { createStatements } from "../../src/coordinator/commit/statements.ts";
import type { LedgerDatabase } from "../../src/coordinator/ledger/open-ledger.ts";
import { CodedError } from "../../src/kernel/errors.ts";
import { noFailpoints } from "../../src/kernel/failpoints.ts";
import { makeLedgerFolder } from "../fixtures/ledger-folder.ts";
import {
  applyAll,
  createLoadedLedger,
  faultsAfterCrash,
  heard,
  LOAD_NOW,
  loadCommand,
  randomIds,
} from "../fixtures/ledger-load.ts";
import { fillDisk, mountSmallDisk } from "../fixtures/small-disk.ts";

const codeOf = (answer: Answer | undefined) =>
  answer?.ok === false && answer.error instanceof CodedError ? answer.error.code : null;

const EVERYTHING = ["task", "command", "event"].map((table) => `SELECT * FROM ${table} ORDER BY 1, 2`);
const contentOf = (db: LedgerDatabase) => EVERYTHING.map((sql) => db.prepare(sql).all());

const GROUP = 6;

/** Sends groups of large commands until one fails as a whole; returns its code and the next number. */
function sendUntilFailure(db: LedgerDatabase, acknowledged: Map<number, unknown>, first = 1) {
  for (let number = first; number < first + 1_000 * GROUP; number += GROUP) {
    const before = contentOf(db);
    const numbers = Array.from({ length: GROUP }, (_, index) => number + index);
    const answers = applyAll(
      db,
      numbers.map((one) => loadCommand(one, 700)),
    );
    const codes = new Set(answers.map(codeOf));
    if (codes.has("disk_full") || codes.has("ledger_unavailable")) {
      expect(codes.size, "the answers of a failed batch are all alike").toBe(1);
      expect(contentOf(db)).toEqual(before);
      return { code: codeOf(answers[0]), next: number + GROUP };
    }
    for (const [index, one] of numbers.entries()) acknowledged.set(one, heard(answers[index] as Answer));
  }
  throw new Error("nothing failed");
}

test("SQLITE_FULL anywhere in a batch fails the batch alone, whichever page it is that does not fit", () => {
  for (let pages = 0; pages < 24; pages += 1) {
    const { path } = makeLedgerFolder();
    const db = createLoadedLedger(path);
    db.pragma(`max_page_count = ${(db.pragma("page_count", { simple: true }) as number) + pages}`);
    const acknowledged = new Map<number, unknown>();
    const { code, next } = sendUntilFailure(db, acknowledged);
    expect(code).toBe("disk_full");
    db.close();
    expect(faultsAfterCrash(path, acknowledged, next - 1), `${pages} pages`).toEqual([]);
  }
});

test("a disk that is really full fails a batch as disk_full, and takes it once there is room", (context) => {
  const { folder } = makeLedgerFolder();
  const disk = mountSmallDisk(context, folder, 2);
  const path = join(disk, "ledger.sqlite");
  const db = createLoadedLedger(path);
  const acknowledged = new Map<number, unknown>();
  fillDisk(join(disk, "filler"));
  const { code, next } = sendUntilFailure(db, acknowledged);
  expect(code).toBe("disk_full");
  // The same connection goes on, as an owner does.
  rmSync(join(disk, "filler"));
  const numbers = Array.from({ length: GROUP }, (_, index) => next + index);
  const answers = applyAll(
    db,
    numbers.map((one) => loadCommand(one)),
  );
  for (const [index, one] of numbers.entries()) acknowledged.set(one, heard(answers[index] as Answer));
  db.close();
  expect(faultsAfterCrash(path, acknowledged, next + GROUP - 1)).toEqual([]);
});

test("a disk that has turned read-only makes the ledger unavailable, and nothing is lost", (context) => {
  const { folder } = makeLedgerFolder();
  const disk = mountSmallDisk(context, folder, 4);
  const path = join(disk, "ledger.sqlite");
  const acknowledged = new Map<number, unknown>();
  const db = createLoadedLedger(path);
  const [answer] = applyAll(db, [loadCommand(1)]);
  acknowledged.set(1, heard(answer as Answer));
  db.close();
  execFileSync("mount", ["-o", "remount,ro", disk]);
  expect(() => faultsAfterCrash(path, acknowledged, 2)).toThrow(
    expect.objectContaining({ code: "ledger_unavailable" }),
  );
  execFileSync("mount", ["-o", "remount,rw", disk]);
  expect(faultsAfterCrash(path, acknowledged, 2)).toEqual([]);
});

function apply(db: LedgerDatabase, commands: readonly Command[], failpoints = noFailpoints) {
  return applyBatch({ db, statements: createStatements(db), ids: randomIds, failpoints }, commands, LOAD_NOW);
}

function opened(): LedgerDatabase {
  const db = createLoadedLedger(makeLedgerFolder().path);
  onTestFinished(() => void db.close());
  return db;
}

test("a commit that fails answers every command of its batch so, and announces no event", () => {
  const db = opened();
  const before = contentOf(db);
  const broken: Command = {
    record: null,
    execute(tx) {
      db.pragma("defer_foreign_keys = ON");
      tx.run("INSERT INTO task_dependency (task, depends_on) VALUES ('t-0', 't-1')");
    },
  };
  const { answers, lastEvent } = apply(db, [loadCommand(1), broken, loadCommand(2)]);
  expect(answers.map(codeOf)).toEqual(["ledger_unavailable", "ledger_unavailable", "ledger_unavailable"]);
  expect(lastEvent).toBeNull();
  expect(contentOf(db)).toEqual(before);
  expect(apply(db, [loadCommand(1), loadCommand(2)]).answers.map(({ ok }) => ok)).toEqual([true, true]);
});

test("a command that catches the database's fault and writes on has written nothing", () => {
  const db = opened();
  const careless: Command = {
    record: null,
    execute(tx) {
      for (let number = 0; number < 200; number += 1) {
        try {
          loadCommand(11, 5_000).execute(tx);
        } catch {
          // What the guard is there for.
        }
      }
    },
  };
  const before = contentOf(db);
  db.pragma(`max_page_count = ${db.pragma("page_count", { simple: true })}`);
  const { answers } = apply(db, [loadCommand(1), careless]);
  expect(answers.map(codeOf)).toEqual(["disk_full", "disk_full"]);
  expect(contentOf(db)).toEqual(before);
});

test("while another process holds the ledger's lock, a batch is overloaded and changes nothing (P9)", () => {
  const db = opened();
  db.pragma("busy_timeout = 10");
  const other = new Database(db.name);
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  expect(apply(db, [loadCommand(1), loadCommand(2)]).answers.map(codeOf)).toEqual([
    "overloaded",
    "overloaded",
  ]);
  other.exec("ROLLBACK");
  expect(apply(db, [loadCommand(1)]).answers[0]).toMatchObject({ ok: true, replayed: false });
});

test("an answer on record that is damaged fails its own command and none beside it", () => {
  const db = opened();
  apply(db, [loadCommand(1)]);
  db.exec("UPDATE command SET answer = '{'");
  const { answers } = apply(db, [loadCommand(1), loadCommand(2)]);
  expect(answers.map(({ ok }) => ok)).toEqual([false, true]);
});

test("a refusal whose record is refused fails its own command and none beside it", () => {
  const db = opened();
  const refused = loadCommand(5);
  const ghost: Command = {
    ...refused,
    record: refused.record === null ? null : { ...refused.record, actor: "ghost" },
  };
  expect(apply(db, [ghost, loadCommand(1)]).answers.map(({ ok }) => ok)).toEqual([false, true]);
});
