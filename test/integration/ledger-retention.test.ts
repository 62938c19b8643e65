/**
 * Promise: what settled long ago becomes small, in slices that hold nobody up; what is unsettled,
 * uncertain, dead or may be tried again is never touched; and no command that is sent again is
 * taken for a new one.
 */
import { expect, test } from "vitest";
import type { Parameters } from "../../src/coordinator/commit/statements.ts";
import type { Transaction } from "../../src/coordinator/commit/transaction.ts";
import { checkLedger } from "../../src/coordinator/ledger/check-ledger.ts";
import { retain } from "../../src/coordinator/retention/retain.ts";
import { uuidV7 } from "../../src/kernel/uuid.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { bound, provisioned } from "../fixtures/ledger-launch.ts";
import { deliveryIn, lease, mailScene, send } from "../fixtures/ledger-mail.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOTHING = { tasks: 0, attempts: 0, launches: 0, deliveries: 0, alarms: 0, commands: 0, events: 0 };
const LONG = "o".repeat(2000);

/** Slices until one finds nothing. */
function retainAll(world: LedgerWorld): number {
  for (let slices = 1; slices < 1000; slices += 1) {
    const counts = world.transact(retain);
    if (Object.values(counts).every((count) => count === 0)) return slices;
  }
  throw new Error("retention does not come to an end");
}

function finished(world: LedgerWorld, outcome: "completed" | "failed", result: unknown = null): string {
  const brief = { objective: LONG, acceptance: "all of it" };
  const { task } = world.call("task add", world.operator, { title: outcome, brief });
  const worker = world.enroll("worker");
  const { fence } = world.call("attempt claim", worker, { task });
  world.call("attempt progress", worker, { task, fence, note: "half of it" });
  world.call("attempt finish", worker, { task, fence, outcome, result: result as string });
  return task;
}

test("a completed task keeps title, state, fence and the objective's beginning; a large result goes", () => {
  const world = createLedgerWorld();
  const task = finished(world, "completed", "r".repeat(5000));
  world.clock.advance(29 * DAY_MS);
  world.transact(retain);
  expect(world.call("task show", world.operator, { task }).brief).toEqual({
    objective: LONG,
    acceptance: "all of it",
  });
  world.clock.advance(2 * DAY_MS);
  retainAll(world);
  const shown = world.call("task show", world.operator, { task });
  expect(shown).toMatchObject({
    title: "completed",
    state: "completed",
    fence: 1,
    brief: { objective: "o".repeat(200) },
  });
  expect(shown.attempts).toMatchObject([
    { fence: 1, state: "completed", progressNote: null, result: { compacted: true, sizeBytes: 5002 } },
  ]);
  expect(checkLedger(world.db)).toEqual([]);
});

test("a failed task keeps its brief, since it can be tried again; a small result stays as it is", () => {
  const world = createLedgerWorld();
  const task = finished(world, "failed", "short");
  world.clock.advance(400 * DAY_MS);
  retainAll(world);
  const shown = world.call("task show", world.operator, { task });
  expect(shown.brief).toEqual({ objective: LONG, acceptance: "all of it" });
  expect(shown.attempts).toMatchObject([{ result: "short" }]);
});

test("open, running and uncertain work is as it was, whatever its age", () => {
  const world = createLedgerWorld();
  const brief = { objective: LONG, acceptance: "all of it" };
  const open = world.call("task add", world.operator, { title: "open", brief });
  const { launch, task } = bound(world);
  world.call("launch advance", world.launcher, { launch, from: "bound", to: "uncertain", reason: "lost" });
  const everything = () =>
    ["task", "attempt", "launch", "launch_event", "readiness"].map((table) =>
      world.db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all(),
    );
  const before = everything();
  world.clock.advance(4000 * DAY_MS);
  retainAll(world);
  expect(everything()).toEqual(before);
  expect(world.call("task show", world.operator, { task: open.task }).brief).toEqual(brief);
  expect(world.call("task show", world.operator, { task }).state).toBe("running");
});

test("an ended launch keeps its receipt and how it ended; its reports and arguments go", () => {
  const world = createLedgerWorld();
  const { launch } = provisioned(world);
  world.call("launch advance", world.launcher, {
    launch,
    from: "provisioned",
    to: "failed",
    reason: "no room",
  });
  const before = world.call("launch show", world.operator, { launch });
  world.clock.advance(31 * DAY_MS);
  retainAll(world);
  const after = world.call("launch show", world.operator, { launch });
  expect(after.history).toEqual(before.history.slice(-1));
  expect(after).toEqual({ ...before, argv: [], envNames: [], history: after.history });
});

test("settled mail goes with its receipts, dead and uncertain mail stays", () => {
  const { world, lead, worker } = mailScene();
  const acknowledged = send(world, lead, [worker]);
  world.call("inbox ack", worker, { ...lease(world, worker), result: "done" });
  const dead = send(world, lead, [worker]);
  world.statements.run(
    "UPDATE delivery SET state = 'leased', lease_token = 'x', lease_until = 1, revision = 1, leased_at = 1 WHERE message = @dead",
    { dead },
  );
  world.statements.run(
    "UPDATE delivery SET state = 'dead', lease_until = NULL, settled_at = 1 WHERE message = @dead",
    { dead },
  );
  world.clock.advance(31 * DAY_MS);
  retainAll(world);
  const left = (table: string) => world.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  expect(() => deliveryIn(world, acknowledged)).toThrow(`no ${acknowledged}`);
  expect(deliveryIn(world, dead).state).toBe("dead");
  expect([left("message"), left("delivery"), left("processed")]).toEqual([1, 1, 0]);
  expect(checkLedger(world.db)).toEqual([]);
});

test("an answer is kept for as long as its command could be sent again, by a client a day ahead too", () => {
  const world = createLedgerWorld();
  const id = uuidV7(world.clock.now() + DAY_MS - 1, world.ids);
  const add = () =>
    world.call("task add", world.operator, { title: "once", brief: { objective: "once" } }, id);
  const { task } = add();
  world.clock.advance(8 * DAY_MS - 2);
  retainAll(world);
  expect(add().task).toBe(task);
  world.clock.advance(3);
  retainAll(world);
  expect(codeOf(add)).toBe("command_expired");
  expect(world.db.prepare("SELECT count(*) FROM command WHERE id = ?").pluck().get(id)).toBe(0);
});

test("one slice takes a bounded number of rows, and slices come to an end", () => {
  const world = createLedgerWorld();
  const { task } = world.call("task add", world.operator, { title: "many", brief: { objective: LONG } });
  world.statements.run(
    `INSERT INTO task (id, title, brief, created_by, created_at, state, version, last_fence, ended_at)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 950)
     SELECT 't-' || i, title, brief, created_by, created_at, 'completed', 1, 0, created_at + i FROM task, n WHERE id = @task`,
    { task },
  );
  world.clock.advance(31 * DAY_MS);
  expect(world.transact(retain).tasks).toBe(200);
  expect(retainAll(world)).toBe(5);
  expect(world.db.prepare("SELECT count(*) FROM task WHERE length(brief) > 300").pluck().get()).toBe(1);
  expect(world.transact(retain)).toEqual(NOTHING);
});

test("what is due is found by an index, so a large ledger costs no more than a small one", () => {
  const { world, lead, worker } = mailScene();
  finished(world, "completed", "r".repeat(5000));
  const { launch } = provisioned(world);
  world.call("launch advance", world.launcher, {
    launch,
    from: "provisioned",
    to: "failed",
    reason: "no room",
  });
  send(world, lead, [worker]);
  world.call("inbox ack", worker, { ...lease(world, worker), result: "done" });
  world.clock.advance(31 * DAY_MS);
  const plans = new Map<string, string[]>();
  const explained = <Result>(act: (sql: string, parameters?: Parameters) => Result) => {
    return (sql: string, parameters: Parameters = {}) => {
      const plan = world.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[];
      plans.set(
        sql,
        plan.map(({ detail }) => detail),
      );
      return act(sql, parameters);
    };
  };
  const counts = world.transact((tx) =>
    retain({ ...tx, get: explained(tx.get), all: explained(tx.all), run: explained(tx.run) } as Transaction),
  );
  expect(counts).toMatchObject({ tasks: 1, attempts: 1, launches: 1, deliveries: 1 });
  expect(plans.size).toBeGreaterThan(15);
  const slow = [...plans.values()].flat().filter((step) => /^SCAN|TEMP B-TREE/.test(step));
  expect(slow.filter((step) => !/^SCAN (retention|CONSTANT ROW)/.test(step))).toEqual([]);
});

test("what ends after a clock was set back becomes small in its time", () => {
  const world = createLedgerWorld();
  finished(world, "completed");
  world.clock.advance(400 * DAY_MS);
  finished(world, "completed");
  world.clock.advance(31 * DAY_MS);
  retainAll(world);
  world.clock.advance(-300 * DAY_MS);
  const task = finished(world, "completed");
  world.transact(retain);
  world.clock.advance(31 * DAY_MS);
  retainAll(world);
  expect(world.call("task show", world.operator, { task })).toMatchObject({
    brief: { objective: "o".repeat(200) },
    attempts: [{ progressNote: null }],
  });
});

test("the sessions of a launch that ended long ago are kept no longer", () => {
  const world = createLedgerWorld();
  const { launch } = bound(world);
  for (const [from, to] of [
    ["bound", "stopping"],
    ["stopping", "released"],
  ] as const) {
    world.call("launch advance", world.launcher, { launch, from, to });
  }
  const count = () => world.statements.get("SELECT count(*) AS count FROM native_session");
  expect(count()).toEqual({ count: 1 });
  world.clock.advance(31 * DAY_MS);
  retainAll(world);
  expect(count()).toEqual({ count: 0 });
});

test("the feed keeps as many events as the setting says", () => {
  const world = createLedgerWorld();
  world.transact((tx) => {
    for (let index = 0; index < 1500; index += 1) tx.emit({ type: "test.made", entity: "x", payload: {} });
  });
  retainAll(world);
  expect(world.events().length).toBeGreaterThan(1500);
  world.call("settings set", world.operator, { key: "retention.events", value: 1000 });
  retainAll(world);
  expect(world.events()).toHaveLength(1000);
});
