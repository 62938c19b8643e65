/**
 * Mail of workers in a session: none before readiness, none while busy, and what is known of the
 * session decides what becomes of a message (LEDGER-4; scenarios M2, M3, M6).
 */
import { describe, expect, test } from "vitest";
import { sweepDeliveries } from "../../src/coordinator/inbox/sweep-deliveries.ts";
import { grantFreshTerm } from "../../src/coordinator/sweeps/fresh-term.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { answer, awaiting, bound, challenge, type LaunchScene } from "../fixtures/ledger-launch.ts";
import { deliveryIn, send } from "../fixtures/ledger-mail.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const CHANNEL = { consumer: "channel", mcpInstance: "mcp-1" } as const;

function observe(
  world: LedgerWorld,
  { launch, worker }: LaunchScene,
  activity: "busy" | "available" | "ended",
) {
  world.call("launch observe", worker, { launch, activity, source: "test" });
}

function mcp(world: LedgerWorld, { launch, worker }: LaunchScene, state: "ready" | "blocked") {
  world.call("launch report", worker, { launch, part: "mcp", state });
}

/** Bound, with its MCP process ready and its session available, and a message for it. */
function mailed() {
  const world = createLedgerWorld();
  const lead = world.enroll("lead");
  const scene = bound(world);
  mcp(world, scene, "ready");
  observe(world, scene, "available");
  return { world, lead, scene, worker: scene.worker, message: send(world, lead, [scene.worker]) };
}

function leased() {
  const mail = mailed();
  const { envelope } = mail.world.call("inbox fetch", mail.worker, CHANNEL);
  const { message, leaseToken } = envelope ?? { message: "", leaseToken: "" };
  return { ...mail, lease: { message, leaseToken } };
}

describe("a channel worker", () => {
  test("gets no mail before its launch is bound by its own answer", () => {
    const world = createLedgerWorld();
    const scene = awaiting(world);
    const { worker } = scene;
    send(world, world.operator, [worker]);
    mcp(world, scene, "ready");
    observe(world, scene, "available");
    expect(world.call("inbox fetch", worker, CHANNEL)).toEqual({
      envelope: null,
      because: "not_ready",
      dueAt: null,
    });
    answer(world, scene);
    expect(world.call("inbox fetch", worker, CHANNEL).envelope?.attempt).toBe(1);
  });

  test("gets none until its MCP process and its session have reported, and none that costs an attempt", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    const message = send(world, world.operator, [scene.worker]);
    const because = () => world.call("inbox fetch", scene.worker, CHANNEL).because;
    expect(because()).toBe("mcp_not_ready");
    mcp(world, scene, "ready");
    expect(because()).toBe("session_unknown");
    observe(world, scene, "busy");
    expect(because()).toBe("session_busy");
    observe(world, scene, "ended");
    expect(because()).toBe("session_ended");
    observe(world, scene, "available");
    mcp(world, scene, "blocked");
    expect(because()).toBe("mcp_not_ready");
    expect(deliveryIn(world, message)).toMatchObject({ state: "pending", attempt: 0 });
  });

  test("gets none once a newer process or session has voided its readiness, until that is proven anew", () => {
    const { world, scene, worker } = mailed();
    challenge(world, scene.launch, "mcp-2", "session-2");
    expect(world.call("inbox fetch", worker, CHANNEL).because).toBe("not_ready");
    answer(world, scene, "mcp-2", "session-2");
    expect(codeOf(() => world.call("inbox fetch", worker, CHANNEL))).toBe("second_consumer");
    expect(world.call("inbox fetch", worker, { ...CHANNEL, mcpInstance: "mcp-2" }).envelope).not.toBeNull();
  });

  test("is not fetched for by a command line", () => {
    const { world, worker } = mailed();
    expect(codeOf(() => world.call("inbox fetch", worker, {}))).toBe("second_consumer");
  });

  test("whose busy report is older than its limit is asked again", () => {
    const { world, scene, worker } = mailed();
    observe(world, scene, "busy");
    world.clock.advance(3_599_999);
    expect(world.call("inbox fetch", worker, CHANNEL).because).toBe("session_busy");
    world.clock.advance(1);
    expect(world.call("inbox fetch", worker, CHANNEL).envelope).not.toBeNull();
  });
});

describe("a message sent during a tool of thirty minutes", () => {
  test("is given after it, once", () => {
    const { world, lead, scene, worker } = mailed();
    world.call("inbox ack", worker, leaseOf(world, scene));
    observe(world, scene, "busy");
    const message = send(world, lead, [worker], "sent meanwhile");
    for (let minute = 0; minute < 30; minute += 1) {
      world.clock.advance(60_000);
      world.transact(sweepDeliveries);
      expect(world.call("inbox fetch", worker, CHANNEL).because).toBe("session_busy");
    }
    observe(world, scene, "available");
    const { envelope } = world.call("inbox fetch", worker, CHANNEL);
    expect(envelope).toMatchObject({ message, attempt: 1, body: "sent meanwhile" });
    world.call("inbox ack", worker, { message, leaseToken: envelope?.leaseToken ?? "" });
    expect(world.call("inbox fetch", worker, CHANNEL).because).toBe("empty");
  });

  test("is kept by its renewals when it was handed over as the turn began", () => {
    const { world, scene, worker, lease } = leased();
    observe(world, scene, "busy");
    for (let minute = 0; minute < 90; minute += 1) {
      world.clock.advance(20_000);
      world.transact(sweepDeliveries);
      world.call("inbox renew", worker, lease);
    }
    world.call("inbox presented", worker, lease);
    expect(world.call("inbox ack", worker, lease).state).toBe("acknowledged");
  });
});

describe("a message that is out with a session", () => {
  test("is shown again to who asks while the turn runs, and not doubled", () => {
    const { world, scene, worker, lease, lead } = leased();
    send(world, lead, [worker], "another");
    world.call("inbox presented", worker, lease);
    observe(world, scene, "busy");
    expect(world.call("inbox fetch", worker, CHANNEL).envelope).toMatchObject({ ...lease, attempt: 1 });
  });

  test("is lost when an available session does not show it for fifteen seconds", () => {
    const { world, message } = leased();
    world.clock.advance(14_999);
    expect(world.transact(sweepDeliveries)).toBe(0);
    world.clock.advance(1);
    expect(world.transact(sweepDeliveries)).toBe(1);
    expect(deliveryIn(world, message)).toMatchObject({
      state: "pending",
      reason: "an available session did not show it",
      nextAttemptAt: "2026-01-01T00:00:16.000Z",
    });
  });

  test("is not called unseen for a time in which the owner was away", () => {
    const { world, message } = leased();
    world.clock.advance(20_000);
    world.statements.run("UPDATE service SET fresh_term_at = @now", { now: world.clock.now() });
    expect(world.transact(sweepDeliveries)).toBe(0);
    world.clock.advance(9_999);
    expect(world.transact(sweepDeliveries)).toBe(0);
    expect(deliveryIn(world, message).state).toBe("leased");
  });

  test("cannot be renewed unseen in a session that is available", () => {
    const { world, worker, lease } = leased();
    world.clock.advance(10_000);
    expect(codeOf(() => world.call("inbox renew", worker, lease))).toBe("wrong_state");
  });

  test("is lost when its turn ends and leaves it unsettled", () => {
    const { world, scene, worker, lease, message } = leased();
    world.clock.advance(1_000);
    world.call("inbox presented", worker, lease);
    observe(world, scene, "busy");
    world.clock.advance(1_000);
    expect(world.transact(sweepDeliveries)).toBe(0);
    observe(world, scene, "available");
    expect(world.transact(sweepDeliveries)).toBe(1);
    expect(deliveryIn(world, message)).toMatchObject({
      state: "pending",
      reason: "its turn ended and left it unsettled",
    });
  });

  test("is not lost when an available session is only reported once more", () => {
    const { world, scene, worker, lease, message } = leased();
    world.call("inbox presented", worker, lease);
    world.clock.advance(1_000);
    observe(world, scene, "available");
    expect(world.transact(sweepDeliveries)).toBe(0);
    expect(deliveryIn(world, message).state).toBe("presented");
  });

  test("is lost when its session is still available long after it was shown, though nobody saw a turn", () => {
    const { world, scene, worker, lease, message } = leased();
    world.call("inbox presented", worker, lease);
    world.clock.advance(14_999);
    observe(world, scene, "available");
    expect(world.transact(sweepDeliveries)).toBe(0);
    world.clock.advance(1);
    observe(world, scene, "available");
    expect(world.transact(sweepDeliveries)).toBe(1);
    expect(deliveryIn(world, message).state).toBe("pending");
  });

  test("is lost when its session or its launch ends, or its MCP process is replaced", () => {
    const ended = leased();
    observe(ended.world, ended.scene, "ended");
    ended.world.transact(sweepDeliveries);
    expect(deliveryIn(ended.world, ended.message).reason).toBe("its session ended");

    const replaced = leased();
    challenge(replaced.world, replaced.scene.launch, "mcp-2", "session-1");
    replaced.world.transact(sweepDeliveries);
    expect(deliveryIn(replaced.world, replaced.message).reason).toBe(
      "its MCP process or session was replaced",
    );

    const over = leased();
    const { launch } = over.scene;
    over.world.call("launch advance", over.world.launcher, { launch, from: "bound", to: "stopping" });
    over.world.call("launch advance", over.world.launcher, { launch, from: "stopping", to: "released" });
    expect(over.world.events().find(({ type }) => type === "delivery.lost")).toMatchObject({
      entity: over.message,
      payload: { reason: "its launch ended" },
    });
  });

  test("stays unacknowledged while its MCP process is silent, and is uncertain once its lease lapses", () => {
    const { world, scene, worker, lease, message } = leased();
    world.call("inbox presented", worker, lease);
    observe(world, scene, "busy");
    mcp(world, scene, "blocked");
    world.clock.advance(29_999);
    expect(world.transact(sweepDeliveries)).toBe(0);
    world.clock.advance(1);
    expect(world.transact(sweepDeliveries)).toBe(1);
    expect(deliveryIn(world, message).state).toBe("uncertain");
  });
});

describe("a clock that is set back by a day", () => {
  const DAY_MS = 24 * 60 * 60 * 1000;

  test("makes no session lose its mail, and no message wait for a day", () => {
    const { world, lead, scene, worker, lease } = leased();
    const script = world.enroll("worker");
    const waiting = send(world, lead, [script]);
    const { leaseToken = "" } = world.call("inbox fetch", script, {}).envelope ?? {};
    world.call("inbox reject", script, { message: waiting, leaseToken, reason: "later", delayMs: 60_000 });
    world.clock.advance(-DAY_MS);
    world.transact((tx) => grantFreshTerm(tx, "clock_jump"));
    expect(world.transact(sweepDeliveries)).toBe(0);
    world.call("inbox presented", worker, lease);
    world.clock.advance(1_000);
    expect(world.transact(sweepDeliveries)).toBe(0);
    world.call("inbox ack", worker, lease);
    observe(world, scene, "available");
    const message = send(world, lead, [worker]);
    expect(world.call("inbox fetch", worker, CHANNEL).envelope?.message).toBe(message);
    expect(world.transact(sweepDeliveries)).toBe(0);
    expect(deliveryIn(world, message).state).toBe("leased");
    world.clock.advance(59_000);
    expect(world.call("inbox fetch", script, {}).envelope?.message).toBe(waiting);
  });

  test("hides neither the end of a turn that began before it, nor that nothing is shown after it", () => {
    const shown = leased();
    shown.world.call("inbox presented", shown.worker, shown.lease);
    observe(shown.world, shown.scene, "busy");
    shown.world.clock.advance(-DAY_MS);
    shown.world.transact((tx) => grantFreshTerm(tx, "clock_jump"));
    shown.world.clock.advance(1_000);
    observe(shown.world, shown.scene, "available");
    shown.world.transact(sweepDeliveries);
    expect(deliveryIn(shown.world, shown.message).reason).toBe("its turn ended and left it unsettled");

    const unseen = leased();
    unseen.world.clock.advance(-DAY_MS);
    unseen.world.transact((tx) => grantFreshTerm(tx, "clock_jump"));
    unseen.world.clock.advance(15_000);
    unseen.world.transact(sweepDeliveries);
    expect(deliveryIn(unseen.world, unseen.message).reason).toBe("an available session did not show it");
  });
});

function leaseOf(world: LedgerWorld, { worker }: LaunchScene) {
  const { envelope } = world.call("inbox fetch", worker, CHANNEL);
  if (envelope === null) throw new Error("there was nothing to fetch");
  return { message: envelope.message, leaseToken: envelope.leaseToken };
}

describe("a busy session", () => {
  test("is still believed to be busy after an absence in which nobody could say otherwise", () => {
    const { world, scene, worker } = mailed();
    observe(world, scene, "busy");
    world.clock.advance(2 * 3_600_000);
    world.transact((tx) => grantFreshTerm(tx, "owner_start"));
    expect(world.call("inbox fetch", worker, CHANNEL).because).toBe("session_busy");
    world.clock.advance(3_600_000);
    expect(world.call("inbox fetch", worker, CHANNEL).envelope?.attempt).toBe(1);
  });

  test("keeps a message that was not shown only as long as it is believed to be busy", () => {
    const { world, scene, worker, lease } = leased();
    observe(world, scene, "busy");
    for (let minutes = 0; minutes < 30; minutes += 0.25) {
      world.clock.advance(15_000);
      world.call("inbox renew", worker, lease);
    }
    world.clock.advance(15_000);
    world.call("launch observe", worker, { launch: scene.launch, activity: "busy", source: "test" });
    const renew = () => world.call("inbox renew", worker, lease);
    const renewals = { count: 0 };
    for (; renewals.count < 300 && codeOf(renew) === null; renewals.count += 1) world.clock.advance(15_000);
    expect([codeOf(renew), renewals.count]).toEqual(["wrong_state", 240]);
  });
});

test("a second MCP process is not shown what is out with the one that proved itself", () => {
  const { world, worker } = leased();
  const other = () => world.call("inbox fetch", worker, { consumer: "channel", mcpInstance: "mcp-2" });
  expect(codeOf(other)).toBe("second_consumer");
  expect(world.call("inbox fetch", worker, CHANNEL).envelope?.attempt).toBe(1);
});
