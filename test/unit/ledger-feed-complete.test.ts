/** The feed tells of each change of state, and each counter is held to the rows that it counts. */
import { describe, expect, test } from "vitest";
import { checkLedger } from "../../src/coordinator/ledger/check-ledger.ts";
import { sweep } from "../../src/coordinator/sweeps/sweep.ts";
import { answer, bound, challenge } from "../fixtures/ledger-launch.ts";
import { lease, mailScene, send } from "../fixtures/ledger-mail.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

/** The types of the events that `step` adds. */
function told(world: LedgerWorld, step: () => void): string[] {
  const before = world.events().at(-1)?.seq ?? 0;
  step();
  return world.events(before).map(({ type }) => type);
}

/** Bound, and its attempt uncertain since its lease passed. */
function unheard() {
  const world = createLedgerWorld();
  const scene = bound(world);
  world.clock.advance(61_000);
  world.transact(sweep);
  return { world, scene, hold: { task: scene.task, fence: scene.fence } };
}

describe("the feed tells that a holder is heard of again", () => {
  test("by its renewal, once", () => {
    const { world, scene, hold } = unheard();
    const renew = () => void world.call("attempt renew", scene.worker, hold);
    expect(told(world, renew)).toEqual(["attempt.resumed"]);
    expect(told(world, renew)).toEqual([]);
  });

  test("by its progress", () => {
    const { world, scene, hold } = unheard();
    const write = { ...hold, note: "on", nativeSession: "session-1" };
    const progress = () => void world.call("attempt progress", scene.worker, write);
    expect(told(world, progress)).toEqual(["attempt.resumed", "attempt.progressed"]);
    expect(told(world, progress)).toEqual(["attempt.progressed"]);
  });

  test("by a newer session's answer, which is an event of its own", () => {
    const { world, scene } = unheard();
    challenge(world, scene.launch, "mcp-2", "session-2");
    expect(told(world, () => void answer(world, scene, "mcp-2", "session-2"))).toEqual([
      "attempt.resumed",
      "launch.proven",
    ]);
  });
});

describe("the feed tells of a message", () => {
  test("that it is out, and that its work came to light after it was given up", () => {
    const { world, lead, worker } = mailScene();
    world.call("settings set", world.operator, { key: "inbox.attempts", value: 1 });
    const message = send(world, lead, [worker]);
    expect(told(world, () => void lease(world, worker))).toEqual(["delivery.leased"]);
    expect(told(world, () => void world.call("inbox fetch", worker, {}))).toEqual([]);
    world.clock.advance(31_000);
    expect(told(world, () => void world.transact(sweep))).toEqual(["delivery.dead"]);
    const processed = () => void world.call("inbox processed", worker, { message });
    expect(told(world, processed)).toEqual(["message.processed", "delivery.requeued"]);
    expect(told(world, processed)).toEqual([]);
  });
});

describe("a check of the ledger finds", () => {
  test("an inbox that lost its count, and one that never had any", () => {
    const { world, lead, worker } = mailScene();
    send(world, lead, [worker]);
    world.statements.run("DELETE FROM inbox");
    expect(checkLedger(world.db)).toEqual([
      {
        kind: "inbox",
        detail: "it does not hold that an inbox counts what waits in it",
        subjects: [worker.actor],
      },
    ]);
  });

  test("a state whose ended tasks are not counted", () => {
    const world = createLedgerWorld();
    const { task } = world.call("task add", world.operator, { title: "T", brief: { objective: "O" } });
    world.call("task cancel", world.operator, { task });
    expect(checkLedger(world.db)).toEqual([]);
    world.statements.run("DELETE FROM task_tally");
    expect(checkLedger(world.db).map(({ kind, subjects }) => [kind, subjects])).toEqual([
      ["tally", ["cancelled"]],
    ]);
  });
});
