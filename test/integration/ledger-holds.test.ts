/**
 * Promise: a hold is its holder's alone, by actor as well as by fence; and a lease that passed gives
 * nobody the task that a launch has, before any sweep has looked at it too (DISPATCH-4).
 */
import { expect, test } from "vitest";
import { sweep } from "../../src/coordinator/sweeps/sweep.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { addTask, bound } from "../fixtures/ledger-launch.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";

test("another worker neither renews, reports nor finishes with a fence that it has heard of", () => {
  const world = createLedgerWorld();
  const [holder, other] = [world.enroll("worker"), world.enroll("worker")];
  const task = addTask(world);
  const { fence } = world.call("attempt claim", holder, { task });
  const before = world.call("task show", world.operator, { task });
  world.clock.advance(1_000);
  expect([
    codeOf(() => world.call("attempt renew", other, { task, fence })),
    codeOf(() => world.call("attempt progress", other, { task, fence, note: "not mine" })),
    codeOf(() => world.call("attempt finish", other, { task, fence, outcome: "completed" })),
  ]).toEqual(["forbidden", "forbidden", "forbidden"]);
  expect(world.call("task show", world.operator, { task })).toEqual(before);
});

test("of two attempts that were given up the older one finishes nothing, though the task is open", () => {
  const world = createLedgerWorld();
  const [first, second] = [world.enroll("worker"), world.enroll("worker")];
  const task = addTask(world);
  for (const worker of [first, second]) {
    world.call("attempt claim", worker, { task });
    world.clock.advance(60_000);
    world.transact(sweep);
  }
  const finish = (worker: typeof first, fence: number) =>
    world.call("attempt finish", worker, { task, fence, outcome: "completed" });
  expect(codeOf(() => finish(first, 1))).toBe("stale_fence");
  expect(finish(second, 2).state).toBe("completed");
});

test("a task whose launch was silent past its lease is held at the first claim, with no sweep between", () => {
  const world = createLedgerWorld();
  const { task, launch } = bound(world);
  world.clock.advance(3_600_000);
  const script = world.enroll("worker");
  expect(codeOf(() => world.call("attempt claim", script, { task }))).toBe("task_held");
  const shown = world.call("task show", world.operator, { task });
  expect(shown.attempts.map((attempt) => [attempt.state, attempt.launch])).toEqual([["running", launch]]);
});
