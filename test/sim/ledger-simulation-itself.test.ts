/**
 * Promise of the simulation itself: a seed decides everything; what is written past the ledger's
 * commands is found; and a breach is told with a plan that is small and breaks again.
 */
import { expect, test } from "vitest";
import type { LedgerDatabase } from "../../src/coordinator/ledger/open-ledger.ts";
import { createRandom } from "../fixtures/sim/random.ts";
import { commandOf, shrink } from "../fixtures/sim/shrink.ts";
import { simulate } from "../fixtures/sim/simulate.ts";

test("the random numbers of a seed are the same on every machine", () => {
  const random = createRandom(7);
  expect([random.hex(8), random.below(1_000_000), random.hex(3)]).toEqual([
    "e4c93d09fafade65",
    465_066,
    "623cdf",
  ]);
});

test("the same seed gives the same trace, and another seed another", async () => {
  const [first, again, other] = [
    await simulate({ seed: 5, steps: 1_200 }),
    await simulate({ seed: 5, steps: 1_200 }),
    await simulate({ seed: 6, steps: 1_200 }),
  ];
  expect(again).toEqual(first);
  expect(other.hash).not.toBe(first.hash);
});

const harm = (sql: string) => (db: LedgerDatabase, step: number) => {
  if (step === 305) db.exec(sql);
};

test.each([
  ["a renewed lease", "UPDATE attempt SET lease_until = lease_until + 1"],
  ["a moved progress deadline", "UPDATE attempt SET progress_due_at = progress_due_at + 1"],
  ["a fence", "UPDATE task SET last_fence = last_fence + 1"],
  ["a receipt that is gone", "DELETE FROM processed"],
  ["an answer that is gone", "DELETE FROM command"],
])("%s that no command wrote is found at once", async (_what, sql) => {
  const { breach } = await simulate({ seed: 5, steps: 600, sabotage: harm(sql) });
  expect(breach?.what.join()).toContain("was written by no command");
  expect(breach?.step).toBeLessThan(330);
});

test("what breaks is told by a smaller plan, which breaks as well", async () => {
  const sabotage = harm("UPDATE task SET version = version + 1");
  const plan = { seed: 5, steps: 2_000, sabotage };
  const shrunk = await shrink({ plan, outcome: await simulate(plan) }, simulate);
  expect(shrunk.plan).toMatchObject({ faults: [], workers: 1, hasLaunches: false });
  expect(shrunk.plan.steps).toBeLessThan(330);
  expect((await simulate(shrunk.plan)).breach).toEqual(shrunk.outcome.breach);
  expect(commandOf(shrunk.plan)).toMatch(
    /^node scripts\/soak-ledger\.ts --seeds 5 --steps 3\d\d --faults '' --workers 1 --no-launches --trace$/,
  );
});
