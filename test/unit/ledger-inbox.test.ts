/** Messages of scripts: one at a time, settled by their consumer's word alone (LEDGER-3, LEDGER-4). */
import { describe, expect, test } from "vitest";
import { sweepDeliveries } from "../../src/coordinator/inbox/sweep-deliveries.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { deliveryIn, fetchOne, lease, mailScene, send } from "../fixtures/ledger-mail.ts";

describe("a message", () => {
  test("is fetched, acknowledged with a result, and gone", () => {
    const { world, lead, worker } = mailScene();
    const message = send(world, lead, [worker], "hello");
    const envelope = fetchOne(world, worker);
    expect(envelope).toEqual({
      message,
      kind: "note",
      sender: lead.actor,
      thread: null,
      body: "hello",
      sentAt: "2026-01-01T00:00:00.000Z",
      state: "leased",
      attempt: 1,
      leaseToken: expect.stringMatching(/^[0-9a-f]{32}$/),
      leaseUntil: "2026-01-01T00:00:30.000Z",
    });
    const { leaseToken } = envelope;
    expect(world.call("inbox ack", worker, { message, leaseToken, result: { commit: "abc" } })).toEqual({
      message,
      state: "acknowledged",
      result: { commit: "abc" },
    });
    expect(world.call("inbox fetch", worker, {})).toEqual({ envelope: null, because: "empty", dueAt: null });
  });

  test("goes to all of several recipients, and each settles its own", () => {
    const { world, lead, worker } = mailScene();
    const other = world.enroll("worker");
    const message = send(world, lead, [worker, other, worker]);
    world.call("inbox ack", worker, lease(world, worker));
    expect(world.call("inbox fetch", worker, {}).envelope).toBeNull();
    expect(fetchOne(world, other)).toMatchObject({ message, attempt: 1 });
  });

  test("comes in the order of sending", () => {
    const { world, lead, worker } = mailScene();
    const sent = ["first", "second", "third"].map((body) => send(world, lead, [worker], body));
    const got = sent.map(() => {
      const taken = lease(world, worker);
      world.call("inbox ack", worker, taken);
      return taken.message;
    });
    expect(got).toEqual(sent);
  });

  test("has a stage of its own for sent, leased, presented, processed and settled", () => {
    const { world, lead, worker } = mailScene();
    const message = send(world, lead, [worker]);
    const stages = () => {
      const { state, sentAt, leasedAt, presentedAt, processedAt, settledAt } = deliveryIn(world, message);
      const seconds = [sentAt, leasedAt, presentedAt, processedAt, settledAt].map((at) => at?.slice(17, 19));
      return [state, ...seconds];
    };
    expect(stages()).toEqual(["pending", "00", undefined, undefined, undefined, undefined]);
    world.clock.advance(1_000);
    const taken = lease(world, worker);
    expect(stages()).toEqual(["leased", "00", "01", undefined, undefined, undefined]);
    world.clock.advance(1_000);
    world.call("inbox presented", worker, taken);
    expect(stages()).toEqual(["presented", "00", "01", "02", undefined, undefined]);
    world.clock.advance(1_000);
    world.call("inbox processed", worker, { message });
    expect(stages()).toEqual(["presented", "00", "01", "02", "03", undefined]);
    world.clock.advance(1_000);
    world.call("inbox ack", worker, taken);
    expect(stages()).toEqual(["acknowledged", "00", "01", "02", "03", "04"]);
  });
});

describe("a send", () => {
  test("is refused whole when one inbox is full, and names it", () => {
    const { world, lead, worker } = mailScene();
    const other = world.enroll("worker");
    world.call("settings set", world.operator, { key: "inbox.capacity", value: 2 });
    send(world, lead, [worker]);
    const second = send(world, lead, [worker]);
    const refused = () => world.call("inbox send", lead, { to: [other.actor, worker.actor], body: "work" });
    expect(refused).toThrow(expect.objectContaining({ code: "inbox_full" }));
    expect(refused).toThrow(
      expect.objectContaining({ fields: { recipient: worker.actor, capacity: 2, changed: false } }),
    );
    expect(world.call("inbox ls", lead, { recipient: other.actor }).deliveries).toEqual([]);
    world.call("inbox ack", worker, lease(world, worker));
    expect(fetchOne(world, worker).message).toBe(second);
    send(world, lead, [other, worker]);
  });

  test("counts what is out and what is uncertain as waiting", () => {
    const { world, lead, worker } = mailScene();
    world.call("settings set", world.operator, { key: "inbox.capacity", value: 1 });
    send(world, lead, [worker]);
    world.call("inbox presented", worker, lease(world, worker));
    expect(codeOf(() => send(world, lead, [worker]))).toBe("inbox_full");
    world.clock.advance(30_000);
    world.transact(sweepDeliveries);
    expect(codeOf(() => send(world, lead, [worker]))).toBe("inbox_full");
  });

  test("of 16 KiB goes through, of one byte more does not, and bytes count, not characters", () => {
    const { world, lead, worker } = mailScene();
    send(world, lead, [worker], "ü".repeat(8_192));
    expect(codeOf(() => send(world, lead, [worker], `${"ü".repeat(8_192)}a`))).toBe("invalid_input");
    expect(codeOf(() => send(world, lead, [worker], "a".repeat(16_385)))).toBe("invalid_input");
    expect(fetchOne(world, worker).body).toBe("ü".repeat(8_192));
  });

  test("to nobody, to the owner, and to one whose capability was revoked is refused", () => {
    const { world, lead, worker } = mailScene();
    const to = (actor: string) => () => world.call("inbox send", lead, { to: [actor], body: "work" });
    expect(codeOf(to("w-000000000000"))).toBe("not_found");
    expect(codeOf(to("owner"))).toBe("wrong_state");
    world.call("revoke", world.operator, { actor: worker.actor });
    expect(codeOf(to(worker.actor))).toBe("wrong_state");
  });

  test("cannot pretend to be an alarm", () => {
    const { world, lead, worker } = mailScene();
    const input = { to: [worker.actor], kind: "alarm" as "note", body: "fire" };
    expect(codeOf(() => world.call("inbox send", lead, input))).toBe("invalid_input");
  });
});

describe("a fetch", () => {
  test("gives what is out already again, under the same token, and counts no attempt", () => {
    const { world, lead, worker } = mailScene();
    send(world, lead, [worker], "one");
    send(world, lead, [worker], "two");
    const first = fetchOne(world, worker);
    world.clock.advance(29_999);
    expect(fetchOne(world, worker)).toEqual(first);
  });

  test("by another kind of consumer than the enrollment names is refused", () => {
    const { world, worker } = mailScene();
    const hooked = world.enroll("worker", "hook");
    expect(codeOf(() => world.call("inbox fetch", worker, { consumer: "hook" }))).toBe("second_consumer");
    expect(codeOf(() => world.call("inbox fetch", hooked, {}))).toBe("second_consumer");
    expect(world.call("inbox fetch", hooked, { consumer: "hook" }).because).toBe("empty");
  });

  test("passes over a message that waits for its time, and says when that is", () => {
    const { world, lead, worker } = mailScene();
    const later = send(world, lead, [worker], "later");
    const taken = lease(world, worker);
    world.call("inbox reject", worker, { ...taken, reason: "tests run", delayMs: 600_000 });
    const now = send(world, lead, [worker], "now");
    world.call("inbox ack", worker, { ...lease(world, worker) });
    expect(deliveryIn(world, now).state).toBe("acknowledged");
    expect(world.call("inbox fetch", worker, {})).toEqual({
      envelope: null,
      because: "not_due",
      dueAt: "2026-01-01T00:10:00.000Z",
    });
    world.clock.advance(600_000);
    expect(fetchOne(world, worker)).toMatchObject({ message: later, attempt: 2 });
  });

  test("never gives what has expired, before any sweep too", () => {
    const { world, lead, worker } = mailScene();
    const { message } = world.call("inbox send", lead, {
      to: [worker.actor],
      body: "lunch",
      expiresInMs: 1_000,
    });
    world.clock.advance(1_000);
    expect(world.call("inbox fetch", worker, {}).because).toBe("empty");
    expect(world.transact(sweepDeliveries)).toBe(1);
    expect(deliveryIn(world, message)).toMatchObject({ state: "expired", reason: "nobody took it in time" });
  });
});

describe("a lease token", () => {
  test("acknowledges nothing once its lease is over, and the ledger stays as it was", () => {
    const { world, lead, worker } = mailScene();
    const message = send(world, lead, [worker]);
    const taken = lease(world, worker);
    world.clock.advance(30_000);
    const before = deliveryIn(world, message);
    for (const name of ["inbox ack", "inbox presented", "inbox renew"] as const) {
      expect(codeOf(() => world.call(name, worker, taken))).toBe("stale_delivery");
    }
    expect(codeOf(() => world.call("inbox reject", worker, { ...taken, reason: "no" }))).toBe(
      "stale_delivery",
    );
    expect(deliveryIn(world, message)).toEqual(before);
    expect(before.processedAt).toBeNull();
  });

  test("of an older delivery acknowledges nothing while a newer one is out", () => {
    const { world, lead, worker } = mailScene();
    send(world, lead, [worker]);
    const old = lease(world, worker);
    world.clock.advance(31_000);
    world.transact(sweepDeliveries);
    world.clock.advance(1_000);
    const fresh = lease(world, worker);
    expect(fresh.message).toBe(old.message);
    expect(codeOf(() => world.call("inbox ack", worker, old))).toBe("stale_delivery");
    expect(world.call("inbox ack", worker, fresh).state).toBe("acknowledged");
  });

  test("is not another actor's", () => {
    const { world, lead, worker } = mailScene();
    const other = world.enroll("worker");
    send(world, lead, [worker, other]);
    const taken = lease(world, worker);
    expect(codeOf(() => world.call("inbox ack", other, taken))).toBe("stale_delivery");
    expect(codeOf(() => world.call("inbox ack", lead, taken))).toBe("not_found");
  });

  test("acknowledges twice under two command ids with the first result", () => {
    const { world, lead, worker } = mailScene();
    send(world, lead, [worker]);
    const taken = lease(world, worker);
    world.call("inbox ack", worker, { ...taken, result: 1 });
    world.clock.advance(60_000);
    expect(world.call("inbox ack", worker, { ...taken, result: 2 }).result).toBe(1);
    expect(world.events().filter(({ type }) => type === "delivery.acknowledged")).toHaveLength(1);
  });

  test("rejects once: a repeat neither moves the delay nor counts", () => {
    const { world, lead, worker } = mailScene();
    const message = send(world, lead, [worker]);
    const taken = lease(world, worker);
    const rejected = world.call("inbox reject", worker, { ...taken, reason: "busy" });
    expect(rejected).toMatchObject({
      state: "pending",
      nextAttemptAt: "2026-01-01T00:00:01.000Z",
      attempt: 1,
    });
    world.clock.advance(500);
    expect(world.call("inbox reject", worker, { ...taken, reason: "busy", delayMs: 99_000 })).toEqual(
      rejected,
    );
    expect(codeOf(() => world.call("inbox ack", worker, taken))).toBe("stale_delivery");
    expect(deliveryIn(world, message).reason).toBe("busy");
  });

  test("that is renewed lasts for a lease from then", () => {
    const { world, lead, worker } = mailScene();
    send(world, lead, [worker]);
    const taken = lease(world, worker);
    for (let minute = 0; minute < 30; minute += 1) {
      world.clock.advance(20_000);
      world.transact(sweepDeliveries);
      expect(world.call("inbox renew", worker, taken).attempt).toBe(1);
    }
    expect(world.call("inbox ack", worker, taken).state).toBe("acknowledged");
  });
});
