/** What becomes of a message whose consumer says nothing, and how people settle it. */
import { describe, expect, test } from "vitest";
import { sweepDeliveries } from "../../src/coordinator/inbox/sweep-deliveries.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { deliveryIn, fetchOne, lease, mailScene, send } from "../fixtures/ledger-mail.ts";

describe("a message that is lost", () => {
  test("comes again after waits that double, and is dead after the fifth delivery", () => {
    const { world, lead, worker } = mailScene();
    const message = send(world, lead, [worker]);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(fetchOne(world, worker)).toMatchObject({ message, attempt });
      world.clock.advance(30_000);
      world.transact(sweepDeliveries);
      const { dueAt } = world.call("inbox fetch", worker, {});
      if (dueAt !== null) waits.push(Date.parse(dueAt) - world.clock.now());
      world.clock.advance(60_000);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(deliveryIn(world, message)).toMatchObject({
      state: "dead",
      attempt: 5,
      reason: "its lease lapsed",
    });
    expect(world.call("status", lead, {}).unresolved).toMatchObject({ deadMessages: 1 });
  });

  test("is uncertain if it was shown, and nobody repeats it", () => {
    const { world, lead, worker } = mailScene();
    const message = send(world, lead, [worker]);
    world.call("inbox presented", worker, lease(world, worker));
    world.clock.advance(30_000);
    expect(world.call("inbox fetch", worker, {}).because).toBe("empty");
    expect(deliveryIn(world, message)).toMatchObject({ state: "uncertain", attempt: 1 });
    expect(world.call("status", lead, {}).unresolved.oldest).toEqual([
      expect.objectContaining({ kind: "message", id: message, actor: worker.actor, state: "uncertain" }),
    ]);
  });

  test("is not given out again once its work is on record: its next lease acknowledges it", () => {
    const { world, lead, worker } = mailScene();
    const message = send(world, lead, [worker]);
    const taken = lease(world, worker);
    world.clock.advance(30_000);
    expect(codeOf(() => world.call("inbox ack", worker, taken))).toBe("stale_delivery");
    expect(world.call("inbox processed", worker, { message, result: "done" })).toEqual({
      message,
      result: "done",
    });
    expect(world.call("inbox processed", worker, { message, result: "again" }).result).toBe("done");
    expect(world.call("inbox fetch", worker, {})).toEqual({ envelope: null, because: "empty", dueAt: null });
    expect(deliveryIn(world, message)).toMatchObject({ state: "acknowledged", attempt: 2 });
  });

  test("cannot be on record as processed before it was given to anybody", () => {
    const { world, lead, worker } = mailScene();
    const message = send(world, lead, [worker]);
    expect(codeOf(() => world.call("inbox processed", worker, { message }))).toBe("wrong_state");
    expect(codeOf(() => world.call("inbox processed", lead, { message }))).toBe("not_found");
  });

  test("whose enrollment was superseded or revoked is lost at once, shown or not", () => {
    const { world, lead, worker } = mailScene();
    const { actor } = worker;
    const message = send(world, lead, [worker]);
    const taken = lease(world, worker);
    world.call("inbox presented", worker, taken);
    const again = { actor, kind: "worker", label: "again", capabilityDigest: "b".repeat(64) } as const;
    const { revision } = world.call("enroll", world.operator, again);
    const next = { ...worker, revision };
    expect(world.call("inbox fetch", next, {})).toMatchObject({ because: "not_due" });
    expect(deliveryIn(world, message).reason).toBe("its enrollment was superseded");
    expect(codeOf(() => world.call("inbox ack", next, taken))).toBe("stale_delivery");
    world.clock.advance(1_000);
    expect(fetchOne(world, next)).toMatchObject({ message, attempt: 2 });
    world.call("revoke", world.operator, { actor });
    expect(deliveryIn(world, message)).toMatchObject({
      state: "pending",
      reason: "its enrollment was revoked",
    });
  });
});

describe("an uncertain or dead message", () => {
  function uncertain() {
    const { world, lead, worker } = mailScene();
    const message = send(world, lead, [worker]);
    world.call("inbox presented", worker, lease(world, worker));
    world.clock.advance(30_000);
    world.transact(sweepDeliveries);
    return { world, lead, worker, message };
  }

  test("is processed when a lead says so, with the reason on record", () => {
    const { world, lead, message } = uncertain();
    const input = { message, outcome: "processed", reason: "its commit is there" } as const;
    expect(world.call("inbox reconcile", lead, input)).toMatchObject({
      state: "acknowledged",
      reason: "its commit is there",
    });
    const { result } = world.statements.get<{ result: string }>("SELECT result FROM processed") ?? {};
    expect(JSON.parse(result ?? "")).toEqual({ reconciledBy: lead.actor, reason: "its commit is there" });
    expect(codeOf(() => world.call("inbox reconcile", lead, input))).toBe("wrong_state");
  });

  test("comes again when a lead says so, and may die again", () => {
    const { world, lead, worker, message } = uncertain();
    world.call("settings set", world.operator, { key: "inbox.attempts", value: 1 });
    const input = { message, outcome: "redeliver", reason: "no trace of it" } as const;
    for (const attempt of [2, 3]) {
      expect(world.call("inbox reconcile", lead, input).state).toBe("pending");
      expect(fetchOne(world, worker).attempt).toBe(attempt);
      world.clock.advance(30_000);
      world.transact(sweepDeliveries);
      expect(deliveryIn(world, message).state).toBe("dead");
    }
  });

  test("is settled by its worker's own word, when it next comes", () => {
    const { world, worker, message } = uncertain();
    world.call("inbox processed", worker, { message, result: "late" });
    expect(deliveryIn(world, message).state).toBe("pending");
    expect(world.call("inbox fetch", worker, {}).envelope).toBeNull();
    expect(deliveryIn(world, message)).toMatchObject({ state: "acknowledged", attempt: 2 });
  });

  test("of several recipients needs the one named", () => {
    const { world, lead, worker } = mailScene();
    const other = world.enroll("worker");
    const message = send(world, lead, [worker, other]);
    for (const each of [worker, other]) world.call("inbox presented", each, lease(world, each));
    world.clock.advance(30_000);
    world.transact(sweepDeliveries);
    const input = { message, outcome: "redeliver", reason: "no trace" } as const;
    expect(codeOf(() => world.call("inbox reconcile", lead, input))).toBe("invalid_input");
    expect(world.call("inbox reconcile", lead, { ...input, recipient: other.actor }).state).toBe("pending");
    expect(world.call("inbox reconcile", lead, input).recipient).toBe(worker.actor);
  });

  test("is not settled for somebody whom nobody sent it", () => {
    const { world, lead, message } = uncertain();
    for (const recipient of ["w-000000000000", lead.actor]) {
      const input = { message, recipient, outcome: "processed", reason: "seen" } as const;
      expect(codeOf(() => world.call("inbox reconcile", lead, input))).toBe("not_found");
    }
  });

  test("is settled by no worker's reconcile", () => {
    const { world, worker, message } = uncertain();
    const input = { message, outcome: "processed", reason: "trust me" } as const;
    expect(codeOf(() => world.call("inbox reconcile", worker, input))).toBe("forbidden");
  });
});
