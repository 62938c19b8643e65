/** Messages between actors: leased to one consumer, settled by its word alone. */
import { describe, expect, test } from "vitest";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";

describe("a message", () => {
  test("is fetched, acknowledged, and gone", () => {
    const world = createLedgerWorld();
    const lead = world.enroll("lead");
    const worker = world.enroll("worker");
    const sent = world.call("inbox send", lead, { to: [worker.actor], body: "hello" });
    const { envelope } = world.call("inbox fetch", worker, {});
    expect(envelope).toMatchObject({ message: sent.message, body: "hello", attempt: 1, state: "leased" });
    const { message, leaseToken } = envelope ?? { message: "", leaseToken: "" };
    expect(world.call("inbox ack", worker, { message, leaseToken, result: "ok" })).toEqual({
      message,
      state: "acknowledged",
      result: "ok",
    });
    expect(world.call("inbox fetch", worker, {})).toEqual({ envelope: null, because: "empty", dueAt: null });
  });
});
