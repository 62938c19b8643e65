/** Tasks: added, listed, shown, cancelled, tried again; named by a unique beginning of their id. */
import { describe, expect, test } from "vitest";
import { sweep } from "../../src/coordinator/sweeps/sweep.ts";
import { codeOf, refusalOf } from "../fixtures/coded-error.ts";
import { addTask, bound, reserved } from "../fixtures/ledger-launch.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";

describe("a prefix", () => {
  test("names the one task that begins so, wherever a task is named", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    const prefix = task.slice(0, 5);
    expect(world.call("task show", world.operator, { task: prefix }).task).toBe(task);
    const worker = world.enroll("worker");
    expect(world.call("attempt claim", worker, { task: prefix })).toMatchObject({ task, fence: 1 });
    expect(world.call("attempt renew", worker, { task: prefix, fence: 1 }).task).toBe(task);
    expect(world.call("attempt progress", worker, { task: prefix, fence: 1, note: "half" }).task).toBe(task);
    expect(world.call("task cancel", world.operator, { task: prefix }).state).toBe("cancel_requested");
    world.call("attempt finish", worker, { task: prefix, fence: 1, outcome: "cancelled" });
    expect(world.call("task retry", world.operator, { task: prefix }).state).toBe("open");
    const brief = { objective: "after" };
    const after = world.call("task add", world.operator, {
      title: "After",
      brief,
      dependsOn: [prefix, task],
    });
    expect(after.dependsOn).toEqual([task]);
  });

  test("that begins several is refused with the candidates", () => {
    const world = createLedgerWorld();
    const tasks = Array.from({ length: 20 }, () => addTask(world));
    const refusal = refusalOf(() =>
      world.call("task show", world.operator, { task: `t-${firstShared(tasks)}` }),
    );
    expect(refusal?.code).toBe("ambiguous_prefix");
    const candidates = refusal?.fields.candidates as { id: string }[];
    expect(candidates.map(({ id }) => id)).toEqual(
      tasks.filter((id) => id[2] === firstShared(tasks)).toSorted(),
    );
  });

  test("that begins none is refused, and a whole id that does not exist as well", () => {
    const { call, operator } = createLedgerWorld();
    for (const task of ["t-0", "t-000000000000"]) {
      expect(refusalOf(() => call("task show", operator, { task }))?.code).toBe("not_found");
      expect(refusalOf(() => call("task cancel", operator, { task }))?.code).toBe("not_found");
    }
  });
});

/** A first digit that at least two of the ids have. */
function firstShared(tasks: readonly string[]): string {
  const digits = tasks.map((id) => id[2] ?? "");
  const shared = digits.find((digit, index) => digits.indexOf(digit) !== index);
  if (shared === undefined) throw new Error("twenty ids share a first digit");
  return shared;
}

describe("the list", () => {
  test("shows each task once over its pages, newest first, while others are added", () => {
    const world = createLedgerWorld();
    const tasks: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      tasks.push(addTask(world));
      // Some share an instant, so the id decides their order.
      if (index % 3 === 0) world.clock.advance(1);
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = world.call("task ls", world.operator, { limit: 2, after });
      seen.push(...page.tasks.map(({ task }) => task));
      after = page.next ?? undefined;
      world.clock.advance(1);
      addTask(world);
    } while (after !== undefined);
    expect(seen.toSorted()).toEqual(tasks.toSorted());
    expect(seen.at(-1)).toBe(tasks[0]);
  });

  test("filters by state, with the holder of each", () => {
    const world = createLedgerWorld();
    const [open, running, done] = [addTask(world), addTask(world), addTask(world)];
    const worker = world.enroll("worker");
    world.call("attempt claim", worker, { task: running });
    world.call("attempt claim", worker, { task: done });
    world.call("attempt finish", worker, { task: done, fence: 1, outcome: "completed" });
    const ls = (...states: ("open" | "running" | "completed")[]) =>
      world.call("task ls", world.operator, { states }).tasks.map(({ task, holder }) => ({ task, holder }));
    expect(ls("running")).toEqual([{ task: running, holder: worker.actor }]);
    expect(ls("completed")).toEqual([{ task: done, holder: null }]);
    expect(ls("open")).toEqual([{ task: open, holder: null }]);
    expect(ls("open", "completed")).toHaveLength(2);
    expect(ls()).toHaveLength(3);
  });

  test("refuses a cursor that it did not give", () => {
    const { call, operator } = createLedgerWorld();
    expect(refusalOf(() => call("task ls", operator, { after: "1; DROP TABLE task" }))?.code).toBe(
      "invalid_input",
    );
  });

  test("of a rare state among many settled tasks is found by the index, in order", () => {
    const { statements } = createLedgerWorld();
    const plan = statements.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT id FROM task INDEXED BY task_by_state
        WHERE state = 'failed' AND (created_at, id) < (1, '') ORDER BY created_at DESC, id DESC LIMIT 1`,
    );
    expect(plan.map(({ detail }) => detail)).toEqual([
      "SEARCH task USING COVERING INDEX task_by_state (state=? AND (created_at,id)<(?,?))",
    ]);
  });
});

describe("cancelling", () => {
  test("ends an open task, and a second time changes nothing", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    const first = world.call("task cancel", world.operator, { task, reason: "done elsewhere" });
    expect(first).toMatchObject({ state: "cancelled", cancelReason: "done elsewhere", version: 2 });
    world.clock.advance(1000);
    expect(world.call("task cancel", world.operator, { task, reason: "another" })).toEqual(first);
  });

  test("of a running task is told to its holder on renewal and progress, and the holder ends it", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    const worker = world.enroll("worker");
    expect(world.call("attempt claim", worker, { task }).cancelRequested).toBe(false);
    world.call("task cancel", world.operator, { task, reason: "no longer" });
    const told = { cancelRequested: true, cancelReason: "no longer", state: "running" };
    expect(world.call("attempt renew", worker, { task, fence: 1 })).toMatchObject(told);
    expect(world.call("attempt progress", worker, { task, fence: 1, note: "stopping" })).toMatchObject(told);
    world.call("attempt finish", worker, { task, fence: 1, outcome: "cancelled" });
    expect(world.call("task show", world.operator, { task }).state).toBe("cancelled");
  });

  test("does not undo work that was completed before the holder heard of it", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    const worker = world.enroll("worker");
    world.call("attempt claim", worker, { task });
    world.call("task cancel", world.operator, { task });
    world.call("attempt finish", worker, { task, fence: 1, outcome: "completed" });
    expect(world.call("task show", world.operator, { task }).state).toBe("completed");
    const refusal = refusalOf(() => world.call("task cancel", world.operator, { task }));
    expect(refusal).toMatchObject({ code: "wrong_state", fields: { state: "completed", changed: false } });
  });
});

describe("retrying", () => {
  test("opens what failed or was cancelled, under the next fence, and nothing else", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    const worker = world.enroll("worker");
    const retry = () => world.call("task retry", world.operator, { task });
    expect(refusalOf(retry)).toMatchObject({ code: "wrong_state", fields: { state: "open" } });
    world.call("attempt claim", worker, { task });
    expect(refusalOf(retry)).toMatchObject({ code: "wrong_state", fields: { state: "running" } });
    world.call("attempt finish", worker, { task, fence: 1, outcome: "failed" });
    expect(retry()).toMatchObject({ state: "open", endedAt: null, fence: 1 });
    expect(world.call("attempt claim", worker, { task }).fence).toBe(2);
    world.call("attempt finish", worker, { task, fence: 2, outcome: "completed" });
    expect(refusalOf(retry)).toMatchObject({ code: "wrong_state", fields: { state: "completed" } });
  });
});

describe("a task shown", () => {
  test("has its attempts, newest first, its launches, and the alarms that are open", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    const shown = () => world.call("task show", world.operator, { task: scene.task });
    expect(shown()).toMatchObject({
      alarms: [],
      attempts: [{ fence: 1, actor: scene.worker.actor, launch: scene.launch }],
      launches: [{ launch: scene.launch, state: "bound" }],
    });
    world.clock.advance(15 * 60_000);
    world.transact(sweep);
    expect(shown().alarms).toMatchObject([
      { kind: "stale_progress", subjectKind: "attempt", subject: `${scene.task}:1` },
      { kind: "supervision_lost", subjectKind: "launch", subject: scene.launch },
    ]);
    expect(shown().attempts).toMatchObject([{ state: "uncertain" }]);
  });

  test("that waits for others names them, and cannot be claimed or dispatched until they are completed", () => {
    const world = createLedgerWorld();
    const first = addTask(world);
    const brief = { objective: "after" };
    const { task } = world.call("task add", world.operator, { title: "After", brief, dependsOn: [first] });
    const worker = world.enroll("worker");
    const claim = () => world.call("attempt claim", worker, { task });
    expect(refusalOf(claim)).toMatchObject({ code: "wrong_state", fields: { waitsFor: [first] } });
    expect(refusalOf(() => reserved(world, task))).toMatchObject({ code: "wrong_state" });
    world.call("attempt claim", worker, { task: first });
    expect(codeOf(claim)).toBe("wrong_state");
    world.call("attempt finish", worker, { task: first, fence: 1, outcome: "failed" });
    expect(codeOf(claim)).toBe("wrong_state");
    expect(codeOf(() => reserved(world, task))).toBe("wrong_state");
    world.call("task retry", world.operator, { task: first });
    world.call("attempt claim", worker, { task: first });
    world.call("attempt finish", worker, { task: first, fence: 2, outcome: "completed" });
    expect(world.call("task show", world.operator, { task }).waitsFor).toEqual([]);
    expect(claim().fence).toBe(1);
  });
});
