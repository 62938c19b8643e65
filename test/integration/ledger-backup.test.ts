/**
 * Promise: a ledger can be read, checked and backed up whether its owner runs or not, without a
 * trace in it; a backup is whole, checked and private, or there is none.
 */
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { backUpLedger } from "../../src/coordinator/ledger/back-up-ledger.ts";
import { checkLedger } from "../../src/coordinator/ledger/check-ledger.ts";
import { closeLedger } from "../../src/coordinator/ledger/close-ledger.ts";
import { describeLedger } from "../../src/coordinator/ledger/describe-ledger.ts";
import { openLedger } from "../../src/coordinator/ledger/open-ledger.ts";
import { takeOwnerLock } from "../../src/coordinator/ledger/owner-lock.ts";
import { readBesideOwner } from "../../src/coordinator/ledger/read-beside-owner.ts";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { killAfterSql } from "../fixtures/kill-after-sql.ts";
import { applyAll, loadCommand, randomIds } from "../fixtures/ledger-load.ts";
import { type LedgerAtPlace, makeLedgerAtPlace, WORLD_SCOPE } from "../fixtures/ledger-place.ts";

/** What an owner has: the lock and the ledger, in this process. */
function own({ place, open }: LedgerAtPlace) {
  const lock = takeOwnerLock(place.lock);
  if (lock === "held") throw new Error("another owner runs");
  const db = open();
  onTestFinished(() => {
    if (db.open) db.close();
    lock.release();
  });
  return { db, lock };
}

describe("a ledger whose owner is down", () => {
  test("is read from a private copy that is gone afterwards, and stays byte for byte", async () => {
    const ledger = makeLedgerAtPlace();
    const before = ledger.bytes();
    const seen = await readBesideOwner(ledger.place, randomIds, ({ db, identity, ownerRuns }) => ({
      tasks: describeLedger(db).counts.tasks,
      instance: identity.instance,
      ownerRuns,
      isCopy: db.name !== ledger.path,
      mode: statSync(join(db.name, "..")).mode & 0o777,
    }));
    expect(seen).toEqual({ tasks: 2, instance: "world", ownerRuns: false, isCopy: true, mode: 0o700 });
    const { "owner.lock": _lock, ...after } = ledger.bytes();
    expect(after).toEqual(before);
  });

  test("is read with all that a killed owner had committed, and its log stays as it is", async () => {
    const ledger = makeLedgerAtPlace();
    await killAfterSql(ledger.path, "UPDATE task SET title = 'committed' WHERE title = 'free'");
    const before = ledger.bytes();
    expect(Object.keys(before)).toContain("ledger.sqlite-wal");
    const titles = await readBesideOwner(ledger.place, randomIds, ({ db }) =>
      db.prepare("SELECT title FROM task ORDER BY title").pluck().all(),
    );
    expect(titles).toEqual(["committed", "held"]);
    const { "owner.lock": _lock, ...after } = ledger.bytes();
    expect(after).toEqual(before);
  });

  test("is not made by asking for it", async () => {
    const { place, folder } = makeLedgerAtPlace();
    const missing = { ...place, ledger: join(folder, "other.sqlite") };
    const refusal = await refusalOfAsync(() => readBesideOwner(missing, randomIds, () => 0));
    expect(refusal?.code).toBe("not_found");
    expect(readdirSync(folder)).toEqual(["ledger.sqlite"]);
  });
});

test("a ledger whose owner runs is read as it is committed, and the owner writes on", async () => {
  const ledger = makeLedgerAtPlace();
  const { db: owner } = own(ledger);
  await readBesideOwner(ledger.place, randomIds, ({ db, ownerRuns }) => {
    expect(ownerRuns).toBe(true);
    expect(describeLedger(db).counts.tasks).toBe(2);
    expect(applyAll(owner, [loadCommand(1)])[0]?.ok).toBe(true);
    expect(describeLedger(db).counts.tasks).toBe(3);
  });
  closeLedger(owner);
  expect(readdirSync(ledger.folder)).toEqual(["ledger.sqlite", "owner.lock"]);
});

describe("a backup", () => {
  test("of a ledger that is being written is one private file that opens as the ledger it was", async () => {
    const ledger = makeLedgerAtPlace();
    const { db: owner } = own(ledger);
    applyAll(owner, [loadCommand(1)]);
    const { counts, newestEvent } = describeLedger(owner);
    const file = join(ledger.folder, "backup.sqlite");
    const backup = await readBesideOwner(ledger.place, randomIds, ({ db }) =>
      backUpLedger(db, file, randomIds),
    );
    applyAll(owner, [loadCommand(2)]);
    expect(backup).toEqual({ file, sizeBytes: statSync(file).size, newestEvent });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const copy = openLedger({ path: file, instance: WORLD_SCOPE.instance });
    onTestFinished(() => closeLedger(copy));
    expect(describeLedger(copy).counts).toEqual(counts);
    expect(describeLedger(owner).counts.tasks).toBe(counts.tasks + 1);
    expect(checkLedger(copy)).toEqual([]);
  });

  test("replaces no file, and leaves none behind where it is refused", async () => {
    const ledger = makeLedgerAtPlace();
    const target = join(ledger.folder, "target");
    mkdirSync(target);
    const file = join(target, "backup.sqlite");
    writeFileSync(file, "mine");
    const back = (to: string) => () =>
      readBesideOwner(ledger.place, randomIds, ({ db }) => backUpLedger(db, to, randomIds));
    expect((await refusalOfAsync(back(file)))?.code).toBe("wrong_state");
    ledger.tamper(
      "UPDATE inbox SET waiting = waiting + 1; UPDATE task SET last_fence = 7 WHERE title = 'held'",
    );
    expect((await refusalOfAsync(back(join(target, "other.sqlite"))))?.code).toBe("ledger_damaged");
    expect((await refusalOfAsync(back(join(ledger.folder, "nowhere", "x.sqlite"))))?.code).toBe(
      "ledger_unavailable",
    );
    expect(readdirSync(target)).toEqual(["backup.sqlite"]);
  });
});

test("a sound ledger passes the check", () => {
  const db = makeLedgerAtPlace().open();
  onTestFinished(() => void db.close());
  expect(checkLedger(db)).toEqual([]);
});

const LOOSE =
  "DROP INDEX attempt_one_holder; DROP TRIGGER attempt_moves_by_its_machine; DROP TRIGGER task_moves_by_its_machine;";
const SECOND_HOLDER = `INSERT INTO attempt
  SELECT task, 2, actor, revision, launch, state, started_at, lease_until, renewed_at, progress_at, progress_note,
         progress_timeout_ms, progress_due_at, ended_at, result FROM attempt`;

test.each([
  ["LEDGER-1", `${LOOSE} ${SECOND_HOLDER}`],
  ["LEDGER-1", "UPDATE task SET last_fence = 9 WHERE title = 'held'"],
  ["LEDGER-1", `${LOOSE} UPDATE task SET state = 'open' WHERE title = 'held'`],
  ["LEDGER-7", "UPDATE command SET answer = '{'"],
  ["foreign key", "DELETE FROM enrollment"],
  ["scope", "DELETE FROM service"],
  ["inbox", "INSERT INTO inbox VALUES ('operator', 3)"],
])("a breach of %s is found", (kind, sql) => {
  const ledger = makeLedgerAtPlace();
  ledger.tamper(sql);
  const db = new Database(ledger.path, { readonly: true });
  onTestFinished(() => void db.close());
  expect(checkLedger(db).map((fault) => fault.kind)).toContain(kind);
});

test("a copy that a killed reader left goes with the next reader; one that may be in use stays", async () => {
  const ledger = makeLedgerAtPlace();
  const { folder } = ledger.place;
  const [left, inUse] = [".reading-0123456789abcdef", ".reading-fedcba9876543210"];
  for (const name of [left, inUse]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "ledger.sqlite"), "a copy");
  }
  const hoursAgo = Date.now() / 1000 - 2 * 3600;
  utimesSync(join(folder, left), hoursAgo, hoursAgo);
  await readBesideOwner(ledger.place, randomIds, () => 0);
  expect(readdirSync(folder).filter((name) => name.startsWith(".reading-"))).toEqual([inUse]);
});
