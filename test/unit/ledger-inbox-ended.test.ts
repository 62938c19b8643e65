/** Mail of a worker whose launch is over: none waits for ever, and its capability ends with it. */
import { describe, expect, test } from "vitest";
import { authenticate } from "../../src/coordinator/actors/authenticate.ts";
import { raiseAlarm } from "../../src/coordinator/alarms/raise-alarm.ts";
import { retain } from "../../src/coordinator/retention/retain.ts";
import { sweep } from "../../src/coordinator/sweeps/sweep.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { bound, digestOf, provisioned } from "../fixtures/ledger-launch.ts";
import { deliveryIn, send } from "../fixtures/ledger-mail.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const CHANNEL = { consumer: "channel", mcpInstance: "mcp-1" } as const;
const ENDED = { state: "dead", reason: "recipient_ended" } as const;

/** Bound, available, with one message leased to it and another that waits. */
function mailed() {
  const world = createLedgerWorld();
  const lead = world.enroll("lead");
  const scene = bound(world);
  const { launch, worker } = scene;
  world.call("launch report", worker, { launch, part: "mcp", state: "ready" });
  world.call("launch observe", worker, { launch, activity: "available", source: "test" });
  const [first, second] = [send(world, lead, [worker], "first"), send(world, lead, [worker], "second")];
  const { envelope } = world.call("inbox fetch", worker, CHANNEL);
  return { world, lead, ...scene, first, second, leaseToken: envelope?.leaseToken ?? "" };
}

function end(
  world: LedgerWorld,
  launch: string,
  ...states: ("stopping" | "uncertain" | "released" | "abandoned")[]
) {
  for (const to of states) {
    const { state: from } = world.call("launch show", world.operator, { launch });
    world.call("launch advance", world.launcher, { launch, from, to });
  }
}

function isRevoked(world: LedgerWorld, launch: string): boolean {
  return (
    codeOf(() => authenticate(world.statements, digestOf(`capability of ${launch}`))) === "enrollment_revoked"
  );
}

describe("what waits for a worker whose launch ends", () => {
  test("is dead at once, whether it was out or not; its sender sees why, and the feed tells it", () => {
    const { world, lead, launch, worker, first, second } = mailed();
    end(world, launch, "stopping", "released");
    expect(deliveryIn(world, first)).toMatchObject({ ...ENDED, attempt: 1 });
    expect(world.call("inbox show", lead, { message: second }).deliveries).toEqual([
      expect.objectContaining({ ...ENDED, recipient: worker.actor, attempt: 0 }),
    ]);
    const told = world.events().filter(({ type }) => type === "delivery.dead");
    expect(told.map(({ entity, payload }) => ({ entity, payload }))).toEqual([
      { entity: first, payload: { recipient: worker.actor, attempt: 1, reason: "recipient_ended" } },
      { entity: second, payload: { recipient: worker.actor, attempt: 0, reason: "recipient_ended" } },
    ]);
    const { inboxes, unresolved } = world.call("status", lead, {});
    expect(inboxes.waiting).toBe(0);
    expect(unresolved.oldest.map(({ since }) => since)).toEqual([
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:00:00.000Z",
    ]);
  });

  test("is dead as well where the launch was abandoned, or failed by its deadline", () => {
    const abandoned = mailed();
    end(abandoned.world, abandoned.launch, "uncertain", "abandoned");
    expect(deliveryIn(abandoned.world, abandoned.second)).toMatchObject(ENDED);

    const world = createLedgerWorld();
    const { worker } = provisioned(world);
    const message = send(world, world.operator, [worker]);
    world.clock.advance(60 * 60_000);
    world.transact(sweep);
    expect(deliveryIn(world, message)).toMatchObject(ENDED);
  });

  test("is dead although the worker was revoked while its launch went on", () => {
    const { world, launch, worker, second } = mailed();
    world.call("revoke", world.operator, { actor: worker.actor });
    expect(deliveryIn(world, second).state).toBe("pending");
    end(world, launch, "stopping", "released");
    expect(deliveryIn(world, second)).toMatchObject(ENDED);
  });

  test("stays uncertain where that is what it was, and is acknowledged where its work is on record", () => {
    const { world, lead, launch, worker, first, second, leaseToken } = mailed();
    world.call("inbox presented", worker, { message: first, leaseToken });
    world.call("launch observe", worker, { launch, activity: "busy", source: "test" });
    world.clock.advance(30_000);
    world.transact(sweep);
    end(world, launch, "stopping", "released");
    expect(deliveryIn(world, first).state).toBe("uncertain");
    expect(deliveryIn(world, second)).toMatchObject(ENDED);

    const done = mailed();
    done.world.call("inbox processed", done.worker, { message: done.first, result: "done" });
    end(done.world, done.launch, "stopping", "released");
    expect(done.world.call("inbox show", lead, { message: done.first }).deliveries).toEqual([
      expect.objectContaining({ state: "acknowledged", result: "done" }),
    ]);
  });

  test("is not delivered again before somebody is enrolled as that worker", () => {
    const { world, launch, worker, second } = mailed();
    end(world, launch, "stopping", "released");
    const again = { message: second, outcome: "redeliver", reason: "it is needed" } as const;
    expect(codeOf(() => world.call("inbox reconcile", world.operator, again))).toBe("wrong_state");
    const { actor, revision } = world.call("enroll", world.operator, {
      actor: worker.actor,
      kind: "worker",
      label: "by hand",
      capabilityDigest: digestOf("another secret"),
    });
    world.call("inbox reconcile", world.operator, again);
    const script = { actor, kind: "worker", revision, consumer: "script" } as const;
    expect(world.call("inbox fetch", script, {}).envelope).toMatchObject({ message: second, attempt: 1 });
  });

  test("is not unresolved, and goes after its time as other settled mail does", () => {
    const { world, launch, worker } = mailed();
    world.call("settings set", world.operator, { key: "alarm.unresolved", value: 1 });
    world.call("settings set", world.operator, { key: "retention.settled", value: "1h" });
    end(world, launch, "stopping", "released");
    const unresolved = () => world.call("alarm ls", world.operator, {}).alarms.map(({ kind }) => kind);
    const kept = () =>
      world.statements.all("SELECT message FROM delivery WHERE recipient = @actor", { actor: worker.actor })
        .length;
    world.transact(sweep);
    expect(unresolved()).toEqual([]);
    world.clock.advance(60 * 60_000 - 1);
    world.transact(retain);
    expect(kept()).toBe(2);
    world.clock.advance(1 + 60_000);
    world.transact(retain);
    expect(kept()).toBe(0);
  });

  test("is no alarm that was raised since", () => {
    const { world, launch, worker } = mailed();
    end(world, launch, "stopping", "released");
    const cause = {
      subjectKind: "scope",
      subject: "scope",
      kind: "unresolved_growth",
      detail: "much",
    } as const;
    world.transact((tx) => raiseAlarm(tx, { ...cause, requester: worker.actor }));
    expect(world.call("inbox ls", world.operator, { recipient: worker.actor }).deliveries).toEqual([]);
  });
});

describe("the capability of a launch's worker", () => {
  test("ends with the launch, however that ends, and not before", () => {
    const world = createLedgerWorld();
    const [released, abandoned, failed] = [bound(world), bound(world), provisioned(world)];
    end(world, released.launch, "stopping");
    expect(isRevoked(world, released.launch)).toBe(false);
    end(world, released.launch, "released");
    end(world, abandoned.launch, "uncertain", "abandoned");
    world.call("launch advance", world.launcher, {
      launch: failed.launch,
      from: "provisioned",
      to: "failed",
    });
    for (const { launch } of [released, abandoned, failed]) expect(isRevoked(world, launch)).toBe(true);
  });
});

test("mail of a script whose enrollment was revoked waits for who is enrolled next", () => {
  const world = createLedgerWorld();
  const worker = world.enroll("worker");
  const message = send(world, world.operator, [worker]);
  world.call("revoke", world.operator, { actor: worker.actor });
  world.transact(sweep);
  expect(deliveryIn(world, message).state).toBe("pending");
});
