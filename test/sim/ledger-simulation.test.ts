/**
 * Promise: whatever the order in which leads, workers, an operator and an owner with its sweeps meet,
 * and whatever is lost, doubled, late, crashed, full, asleep or set back meanwhile, no invariant of
 * the ledger is broken after any step. Longer runs: `npm run soak:ledger`.
 */
import { describe, expect, test } from "vitest";
import { FAULTS } from "../fixtures/sim/faults.ts";
import { runSeeds } from "../fixtures/sim/run-seeds.ts";

const STEPS = 3_000;
const SEEDS_IN_PART = 9;
const counts: Record<string, number> = {};
let steps = 0;

/** What has to have happened, or the run proves nothing of it. */
const HAPPENED = [
  ...FAULTS.map((fault) => `fault ${fault}`),
  "anything disk_full",
  "anything no answer",
  "attempt claim task_held",
  "attempt claim scope_paused",
  "attempt finish stale_fence",
  "attempt progress stale_fence",
  "attempt renew enrollment_revoked",
  "attempt abandoned",
  "attempt uncertain",
  "task cancel_requested",
  "task cancelled",
  "task completed",
  "inbox ack stale_delivery",
  "inbox fetch second_consumer",
  "inbox send inbox_full",
  "inbox processed ok",
  "inbox reject ok",
  "delivery acknowledged",
  "delivery dead",
  "delivery expired",
  "delivery uncertain",
  "intent create idempotency_conflict",
  "launch ready forbidden",
  "launch bound",
  "launch failed",
  "launch startup_blocked",
  "launch uncertain",
  "launch released",
  "launch abandoned",
  "alarm stale_progress",
  "alarm supervision_lost",
  "alarm readiness_timeout",
  "alarm mcp_disconnected",
  "resolved progress",
  "resolved recovery",
  "resolved end",
  "pause forbidden",
  "owner retain",
  "owner fresh term",
  "replayed",
];

describe("one hundred thousand steps break no invariant", () => {
  test.each([1, 101, 201, 301])("seeds from %i on", async (from) => {
    const result = await runSeeds({ from, count: SEEDS_IN_PART, steps: STEPS });
    expect(result.failures).toEqual([]);
    steps += result.steps;
    for (const [what, times] of Object.entries(result.counts)) counts[what] = (counts[what] ?? 0) + times;
  });

  test("and there were as many, and everything that can happen did", () => {
    expect(steps).toBeGreaterThanOrEqual(100_000);
    expect(HAPPENED.filter((what) => (counts[what] ?? 0) === 0)).toEqual([]);
  });
});
