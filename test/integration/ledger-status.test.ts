/**
 * One screen of a scope, and its feed: what they say, and that what has ended costs nothing. The
 * plans are asked of SQLite itself: no statement may walk a table that grows with history.
 */
import { describe, expect, test } from "vitest";
import type { Reading } from "../../src/coordinator/commit/statements.ts";
import { readStatus } from "../../src/coordinator/status/read-status.ts";
import { addTask, bound, reserved } from "../fixtures/ledger-launch.ts";
import { deliveryIn, lease, send } from "../fixtures/ledger-mail.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

describe("status", () => {
  test("of a new scope counts nothing and names the scope", () => {
    const world = createLedgerWorld();
    expect(world.call("status", world.operator, {})).toEqual({
      scope: {
        root: "/project",
        profile: "default",
        instance: "world",
        createdAt: "2026-01-01T00:00:00.000Z",
      },
      at: "2026-01-01T00:00:00.000Z",
      pause: null,
      tasks: { open: 0, running: 0, cancel_requested: 0, completed: 0, failed: 0, cancelled: 0 },
      workers: { live: 0, groups: [], silent: [] },
      alarms: { open: 0, newest: [] },
      inboxes: { waiting: 0, recipients: 0, fullest: [] },
      unresolved: { launches: 0, attempts: 0, uncertainMessages: 0, deadMessages: 0, oldest: [] },
      lastEvent: 2,
    });
  });

  test("counts tasks in each state, also after one that ended is tried again", () => {
    const world = createLedgerWorld();
    const worker = world.enroll("worker");
    const [done = "", failed = "", running = "", cancelled = ""] = Array.from({ length: 5 }, () =>
      addTask(world),
    );
    for (const task of [done, failed, running]) world.call("attempt claim", worker, { task });
    world.call("attempt finish", worker, { task: done, fence: 1, outcome: "completed" });
    world.call("attempt finish", worker, { task: failed, fence: 1, outcome: "failed" });
    world.call("task cancel", world.operator, { task: cancelled });
    const tasks = () => world.call("status", world.operator, {}).tasks;
    expect(tasks()).toEqual({
      open: 1,
      running: 1,
      cancel_requested: 0,
      completed: 1,
      failed: 1,
      cancelled: 1,
    });
    world.call("task retry", world.operator, { task: failed });
    expect(tasks()).toMatchObject({ open: 2, failed: 0 });
    world.call("task cancel", world.operator, { task: running });
    expect(tasks()).toMatchObject({ running: 0, cancel_requested: 1 });
  });

  test("groups workers by generation and state, and marks those of whom nothing was heard", () => {
    const world = createLedgerWorld();
    const first = bound(world);
    world.clock.advance(10_000);
    const second = bound(world);
    reserved(world);
    world.clock.advance(40_000);
    world.call("launch report", second.worker, { launch: second.launch, part: "wrapper", state: "ready" });
    expect(world.call("status", world.operator, {}).workers).toEqual({
      live: 3,
      groups: [
        { generation: "gen-1", state: "bound", count: 2, silent: 1, oldestSince: "2026-01-01T00:00:00.000Z" },
        {
          generation: "gen-1",
          state: "reserved",
          count: 1,
          silent: 0,
          oldestSince: "2026-01-01T00:00:10.000Z",
        },
      ],
      silent: [
        { launch: first.launch, task: first.task, state: "bound", heardAt: "2026-01-01T00:00:00.000Z" },
      ],
    });
  });

  test("tells whose inbox is fullest and since when, and counts what is settled no more", () => {
    const world = createLedgerWorld();
    const [few, many] = [world.enroll("worker"), world.enroll("worker")];
    send(world, world.operator, [few]);
    world.clock.advance(1_000);
    for (let index = 0; index < 3; index += 1) send(world, world.operator, [many]);
    world.call("inbox ack", many, lease(world, many));
    expect(world.call("status", world.operator, {}).inboxes).toEqual({
      waiting: 3,
      recipients: 2,
      fullest: [
        { actor: many.actor, waiting: 2, oldestSentAt: "2026-01-01T00:00:01.000Z" },
        { actor: few.actor, waiting: 1, oldestSentAt: "2026-01-01T00:00:00.000Z" },
      ],
    });
  });

  test("lists what nobody knows the end of, the oldest first", () => {
    const world = createLedgerWorld();
    const { task, launch, worker } = bound(world);
    const script = world.enroll("worker");
    const message = send(world, world.operator, [script]);
    world.clock.advance(1_000);
    world.call("inbox presented", script, lease(world, script));
    world.clock.advance(1_000);
    world.call("launch advance", world.launcher, { launch, from: "bound", to: "uncertain" });
    world.statements.run("UPDATE attempt SET state = 'uncertain' WHERE task = @task", { task });
    world.clock.advance(60_000);
    expect(world.call("inbox fetch", script, {}).because).toBe("empty");
    expect(deliveryIn(world, message).state).toBe("uncertain");
    const { unresolved } = world.call("status", world.operator, {});
    expect(unresolved).toMatchObject({ launches: 1, attempts: 1, uncertainMessages: 1, deadMessages: 0 });
    expect(unresolved.oldest.map(({ kind, id, actor }) => [kind, id, actor])).toEqual([
      ["attempt", `${task}:1`, worker.actor],
      ["message", message, script.actor],
      ["launch", launch, worker.actor],
    ]);
  });
});

describe("the tallies", () => {
  test("say what counting says, after a random mix of mail and tasks", () => {
    const world = createLedgerWorld();
    const workers = Array.from({ length: 3 }, () => world.enroll("worker"));
    for (let index = 0; index < 60; index += 1) {
      const worker = workers[index % 3] ?? workers[0];
      if (worker === undefined) throw new Error("there are workers");
      send(world, world.operator, [worker]);
      const { envelope } = world.call("inbox fetch", worker, {});
      const { message = "", leaseToken = "" } = envelope ?? {};
      if (index % 4 === 0) world.call("inbox ack", worker, { message, leaseToken });
      if (index % 4 === 1)
        world.call("inbox reject", worker, { message, leaseToken, reason: "no", delayMs: 1 });
      if (index % 7 === 0) world.clock.advance(31_000);
      const task = addTask(world);
      if (index % 2 === 0) world.call("task cancel", world.operator, { task });
      if (index % 6 === 0) world.call("task retry", world.operator, { task });
    }
    const counted = (sql: string) => world.statements.all(sql);
    expect(counted("SELECT actor, waiting FROM inbox WHERE waiting > 0 ORDER BY actor")).toEqual(
      counted(
        `SELECT recipient AS actor, count(*) AS waiting FROM delivery
          WHERE state NOT IN ('acknowledged', 'expired', 'dead') GROUP BY recipient ORDER BY recipient`,
      ),
    );
    expect(counted("SELECT state, ended FROM task_tally WHERE ended > 0 ORDER BY state")).toEqual(
      counted(
        `SELECT state, count(*) AS ended FROM task WHERE state IN ('completed', 'failed', 'cancelled')
          GROUP BY state ORDER BY state`,
      ),
    );
    expect(world.call("status", world.operator, {}).tasks).toMatchObject({ cancelled: 20, open: 40 });
  });
});

/** Every statement that a call reads with, and how SQLite goes about it. */
function plansOf(world: LedgerWorld, act: (reading: Reading) => unknown): string[] {
  const plans: string[] = [];
  const explain = (sql: string, parameters: object = {}) => {
    const steps = world.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[];
    plans.push(...steps.map(({ detail }) => detail));
  };
  act({
    get: (sql, parameters) => {
      explain(sql, parameters);
      return world.statements.get(sql, parameters);
    },
    all: (sql, parameters) => {
      explain(sql, parameters);
      return world.statements.all(sql, parameters);
    },
  });
  return plans;
}

const GROWS_WITH_HISTORY = /SCAN (task|attempt|launch|delivery|message|alarm|processed|command)\b/;
const LIVE_ROWS_ALONE =
  /INDEX (launch_one_live_per_task|attempt_one_holder|task_unsettled|alarm_one_open|delivery_(unsettled|unresolved|one_outstanding))\b/;

describe("what has ended", () => {
  test("is walked by no statement of status", () => {
    const world = createLedgerWorld();
    const { launch } = bound(world);
    world.clock.advance(100_000);
    world.call("launch advance", world.launcher, { launch, from: "bound", to: "uncertain" });
    const plans = plansOf(world, (reading) => readStatus(reading, world.operator, {}, world.clock.now()));
    expect(plans.length).toBeGreaterThan(15);
    expect(plans.filter((plan) => GROWS_WITH_HISTORY.test(plan) && !LIVE_ROWS_ALONE.test(plan))).toEqual([]);
  });
});

describe("the feed", () => {
  test("is read page by page, each going on where the last ended", () => {
    const world = createLedgerWorld();
    for (let index = 0; index < 5; index += 1) addTask(world);
    const seen: number[] = [];
    for (let since = 0; ; ) {
      const page = world.call("events", world.operator, { since, limit: 3 });
      seen.push(...page.events.map(({ seq }) => seq));
      expect(page.missing).toBeNull();
      since = page.next;
      if (!page.isMore) break;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(world.call("events", world.operator, { since: 7 })).toEqual({
      events: [],
      next: 7,
      isMore: false,
      missing: null,
    });
  });

  test("says which numbers it no longer has, also when it has none at all", () => {
    const world = createLedgerWorld();
    for (let index = 0; index < 5; index += 1) addTask(world);
    world.statements.run("DELETE FROM event WHERE seq <= 4");
    expect(world.call("events", world.operator, { since: 1, limit: 1 })).toMatchObject({
      events: [{ seq: 5 }],
      next: 5,
      isMore: true,
      missing: { first: 2, last: 4 },
    });
    expect(world.call("events", world.operator, { since: 4 }).missing).toBeNull();
    world.statements.run("DELETE FROM event");
    expect(world.call("events", world.operator, { since: 1 })).toEqual({
      events: [],
      next: 7,
      isMore: false,
      missing: { first: 2, last: 7 },
    });
  });
});
