/**
 * M2: most deliveries are lost on purpose, at every stage that one can be lost at. Every message
 * ends processed or visibly dead, and no work is done twice.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/coordinator/commit/transaction.ts";
import { sweepDeliveries } from "../../src/coordinator/inbox/sweep-deliveries.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

/** Seven of ten deliveries go wrong. */
const fate = fc.oneof(
  { weight: 3, arbitrary: fc.constant("acknowledged" as const) },
  {
    weight: 7,
    arbitrary: fc.constantFrom(
      "never shown" as const,
      "never shown" as const,
      "never shown" as const,
      "shown, then nothing" as const,
      "work on record, then nothing" as const,
      "shown, work on record, then nothing" as const,
      "acknowledged too late" as const,
    ),
  },
);
type Fate = typeof fate extends fc.Arbitrary<infer Value> ? Value : never;

function consume(world: LedgerWorld, worker: Caller, fateNow: Fate, effects: Map<string, number>): void {
  const { envelope } = world.call("inbox fetch", worker, {});
  if (envelope === null) return;
  const { message, leaseToken } = envelope;
  const work = () => {
    effects.set(message, (effects.get(message) ?? 0) + 1);
    world.call("inbox processed", worker, { message, result: "done" });
  };
  switch (fateNow) {
    case "never shown":
      break;
    case "shown, then nothing":
      world.call("inbox presented", worker, { message, leaseToken });
      break;
    case "work on record, then nothing":
      work();
      break;
    case "shown, work on record, then nothing":
      world.call("inbox presented", worker, { message, leaseToken });
      work();
      break;
    case "acknowledged too late":
      work();
      world.clock.advance(30_000);
      expect(() => world.call("inbox ack", worker, { message, leaseToken })).toThrow(
        expect.objectContaining({ code: "stale_delivery" }),
      );
      return;
    case "acknowledged":
      work();
      world.call("inbox ack", worker, { message, leaseToken });
      return;
  }
  world.clock.advance(30_000);
}

/** Runs on what a lead can see alone: until nothing waits, and each uncertain message was looked at. */
function settleAll(world: LedgerWorld, worker: Caller, fates: readonly Fate[], effects: Map<string, number>) {
  for (const [turn, fateNow] of fates.entries()) {
    consume(world, worker, fateNow, effects);
    world.transact(sweepDeliveries);
    for (const { message } of world.call("inbox ls", world.operator, { state: "uncertain" }).deliveries) {
      const outcome = effects.has(message) ? "processed" : "redeliver";
      world.call("inbox reconcile", world.operator, { message, outcome, reason: "looked for its effect" });
    }
    if (world.call("status", world.operator, {}).inboxes.waiting === 0) return turn;
    world.clock.advance(1_000);
  }
  throw new Error("messages still wait");
}

describe("with seven of ten deliveries lost", () => {
  test("every message ends processed or visibly dead, and no work is done twice", () => {
    const ends = { acknowledged: 0, dead: 0 };
    fc.assert(
      fc.property(fc.array(fate, { minLength: 400, maxLength: 400 }), (fates) => {
        const world = createLedgerWorld();
        const worker = world.enroll("worker");
        world.call("settings set", world.operator, { key: "inbox.attempts", value: 3 });
        const sent = Array.from(
          { length: 20 },
          (_, index) =>
            world.call("inbox send", world.operator, { to: [worker.actor], body: `work ${index}` }).message,
        );
        const effects = new Map<string, number>();
        settleAll(world, worker, fates, effects);
        const settled = (["acknowledged", "dead"] as const).flatMap((state) => {
          const { deliveries } = world.call("inbox ls", world.operator, { state });
          ends[state] += deliveries.length;
          return deliveries;
        });
        expect(settled.map(({ message }) => message).toSorted()).toEqual(sent.toSorted());
        expect([...effects.values()].every((times) => times === 1)).toBe(true);
        const acknowledged = settled.filter(({ state }) => state === "acknowledged");
        expect(acknowledged.map(({ message }) => message).toSorted()).toEqual([...effects.keys()].toSorted());
        const dead = settled.filter(({ state }) => state === "dead");
        expect(dead.every(({ reason, attempt }) => reason === "its lease lapsed" && attempt >= 3)).toBe(true);
      }),
      { numRuns: 10 },
    );
    expect(ends.acknowledged).toBeGreaterThan(100);
    expect(ends.dead).toBeGreaterThan(0);
  });
});
