/**
 * Promise: a restore says what it loses before it does so, keeps the replaced ledger, hands out no
 * fence and no event number twice, and changes nothing where it is refused.
 */
import { copyFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { closeLedger } from "../../src/coordinator/ledger/close-ledger.ts";
import { takeOwnerLock } from "../../src/coordinator/ledger/owner-lock.ts";
import { restoreLedger } from "../../src/coordinator/ledger/restore-ledger.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { killAfterSql } from "../fixtures/kill-after-sql.ts";
import { randomIds } from "../fixtures/ledger-load.ts";
import { type LedgerAtPlace, makeLedgerAtPlace, WORLD_SCOPE } from "../fixtures/ledger-place.ts";

const NOW = Date.UTC(2026, 1, 1);

function restore({ place }: LedgerAtPlace, backup: string, apply = true) {
  return restoreLedger({ place, scope: WORLD_SCOPE, backup, apply, now: NOW }, randomIds);
}

/** A ledger with a backup that lacks what was done since: one task more, another free one claimed and ended. */
function makeAged(): LedgerAtPlace & { readonly backup: string; readonly later: string } {
  const ledger = makeLedgerAtPlace();
  const backup = join(ledger.folder, "backup.sqlite");
  copyFileSync(ledger.path, backup);
  const later = ledger.addTask("later");
  return { ...ledger, backup, later };
}

const titles = ({ query }: LedgerAtPlace) =>
  query<{ title: string }>("SELECT title FROM task ORDER BY title").map(({ title }) => title);

test("what would be lost is told without a change, then lost and kept aside", () => {
  const ledger = makeAged();
  const before = ledger.bytes();
  const told = restore(ledger, ledger.backup, false);
  expect(told).toMatchObject({ applied: false, keptAt: null, lossUnknown: null });
  expect(told.lost).toMatchObject({
    tasks: { count: 1, first: [ledger.later] },
    changedTasks: { count: 0, first: [] },
    liveLaunches: { count: 0, first: [] },
    events: { count: 1 },
  });
  const { "owner.lock": _lock, ...after } = ledger.bytes();
  expect(after).toEqual(before);

  const done = restore(ledger, ledger.backup);
  expect(done).toEqual({ ...told, applied: true, keptAt: `${ledger.path}.until-20260201T000000000Z` });
  expect(titles(ledger)).toEqual(["free", "held"]);
  expect(readdirSync(ledger.folder).toSorted()).toEqual([
    "backup.sqlite",
    "ledger.sqlite",
    "ledger.sqlite.until-20260201T000000000Z",
    "owner.lock",
  ]);
  expect(ledger.bytes()["ledger.sqlite.until-20260201T000000000Z"]).toBe(before["ledger.sqlite"]);
  closeLedger(ledger.open());
});

test("fences of free tasks and numbers of events go on beyond those that were handed out meanwhile", () => {
  const ledger = makeAged();
  const [{ newest } = { newest: 0 }] = ledger.query<{ newest: number }>(
    "SELECT max(seq) AS newest FROM event",
  );
  restore(ledger, ledger.backup);
  expect(ledger.query("SELECT title, last_fence AS fence FROM task ORDER BY title")).toEqual([
    { title: "free", fence: 1000 },
    { title: "held", fence: 1 },
  ]);
  expect(ledger.query("SELECT seq, type FROM event ORDER BY seq DESC LIMIT 1")).toEqual([
    { seq: newest + 1, type: "ledger.restored" },
  ]);
});

test("a ledger that is damaged or gone is replaced, and what is lost is said to be unknown", () => {
  const damaged = makeAged();
  truncateSync(damaged.path, 8192);
  const restored = restore(damaged, damaged.backup);
  expect(restored.lost).toBeNull();
  expect(restored.lossUnknown).toMatch(/^the present ledger cannot be read: /);
  expect(titles(damaged)).toEqual(["free", "held"]);
  const gone = makeAged();
  rmSync(gone.path);
  expect(restore(gone, gone.backup)).toMatchObject({
    lost: null,
    lossUnknown: "the present ledger is gone",
    keptAt: null,
  });
  expect(titles(gone)).toEqual(["free", "held"]);
  expect(gone.query<{ seq: number }>("SELECT max(seq) AS seq FROM event")[0]?.seq).toBeGreaterThan(1_000_000);
});

test("the log of a killed owner counts as present, and never meets the restored file", async () => {
  const ledger = makeAged();
  await killAfterSql(
    ledger.path,
    "UPDATE task SET title = 'newest', version = version + 1 WHERE title = 'free'",
  );
  const { lost } = restore(ledger, ledger.backup);
  expect(lost?.changedTasks).toEqual({ count: 1, first: [`${ledger.free} open → open`] });
  closeLedger(ledger.open());
  expect(titles(ledger)).toEqual(["free", "held"]);
});

test("what cannot serve as a backup is refused by its code, and nothing has changed", () => {
  const ledger = makeAged();
  const [text, torn] = [join(ledger.folder, "text"), join(ledger.folder, "torn")];
  writeFileSync(text, "some text ".repeat(900));
  copyFileSync(ledger.backup, torn);
  truncateSync(torn, 4096 * 5);
  const refusals: readonly [string, string][] = [
    ["not_found", join(ledger.folder, "nowhere")],
    ["invalid_input", ledger.path],
    ["ledger_foreign", text],
    ["ledger_damaged", torn],
  ];
  const before = ledger.bytes();
  for (const [code, backup] of refusals) {
    expect(codeOf(() => restore(ledger, backup))).toBe(code);
    expect({ ...ledger.bytes(), "owner.lock": "" }).toEqual({ ...before, "owner.lock": "" });
  }
});

test("a backup of another ledger is refused, and so is any while an owner runs", () => {
  const ledger = makeAged();
  const request = { place: ledger.place, backup: ledger.backup, apply: true, now: NOW };
  expect(
    codeOf(() => restoreLedger({ ...request, scope: { ...WORLD_SCOPE, instance: "two" } }, randomIds)),
  ).toBe("ledger_foreign");
  const owner = takeOwnerLock(ledger.place.lock);
  expect(owner).not.toBe("held");
  expect(codeOf(() => restore(ledger, ledger.backup))).toBe("wrong_state");
  if (owner !== "held") owner.release();
  expect(restore(ledger, ledger.backup, false).applied).toBe(false);
});
