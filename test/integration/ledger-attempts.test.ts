/** Attempts: who holds a task, with which fence, for how long, and how it ends. */
import { describe, expect, test } from "vitest";
import { codeOf, refusalOf } from "../fixtures/coded-error.ts";
import { addTask, bound, challenge, reserved } from "../fixtures/ledger-launch.ts";
import { createLedgerWorld, type LedgerWorld, WORLD_BEGAN_AT } from "../fixtures/ledger-world.ts";

const at = (ms: number): string => new Date(WORLD_BEGAN_AT + ms).toISOString();

function claimed(world: LedgerWorld) {
  const task = addTask(world);
  const worker = world.enroll("worker");
  const { fence } = world.call("attempt claim", worker, { task });
  return { task, worker, fence };
}

const taskState = (world: LedgerWorld, task: string) =>
  world.call("task show", world.operator, { task }).state;

describe("a claim", () => {
  test.each([2, 4, 8, 16, 32, 64])(
    "of one task by %i actors has one winner; each loser is told holder and fence",
    (count) => {
      const world = createLedgerWorld();
      const task = addTask(world);
      const actors = Array.from({ length: count }, () => world.enroll("worker"));
      const won = actors.filter(
        (actor) => codeOf(() => world.call("attempt claim", actor, { task })) === null,
      );
      expect(won).toHaveLength(1);
      for (const actor of actors.filter((other) => other !== won[0])) {
        const refusal = refusalOf(() => world.call("attempt claim", actor, { task }));
        expect(refusal).toMatchObject({
          code: "task_held",
          fields: { task, holder: won[0]?.actor, fence: 1, changed: false },
        });
      }
    },
  );

  test("repeated under its id gets the same answer, and leaves one attempt", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    const worker = world.enroll("worker");
    const id = world.commandId();
    const first = world.call("attempt claim", worker, { task }, id);
    world.clock.advance(5000);
    expect(world.call("attempt claim", worker, { task }, id)).toEqual(first);
    expect(world.call("task show", world.operator, { task }).attempts).toHaveLength(1);
    expect(codeOf(() => world.call("attempt claim", worker, { task: addTask(world) }, id))).toBe(
      "idempotency_conflict",
    );
  });

  test("is taken over from the instant at which its lease has passed, and not before", () => {
    const world = createLedgerWorld();
    const { task, worker } = claimed(world);
    const next = world.enroll("worker");
    world.clock.advance(59_999);
    expect(codeOf(() => world.call("attempt claim", next, { task }))).toBe("task_held");
    world.clock.advance(1);
    expect(world.call("attempt claim", next, { task }).fence).toBe(2);
    const stale = { code: "stale_fence", fields: { holder: next.actor, holderFence: 2, changed: false } };
    expect(refusalOf(() => world.call("attempt renew", worker, { task, fence: 1 }))).toMatchObject(stale);
    const note = "still here";
    expect(refusalOf(() => world.call("attempt progress", worker, { task, fence: 1, note }))).toMatchObject(
      stale,
    );
    const finish = () => world.call("attempt finish", worker, { task, fence: 1, outcome: "completed" });
    expect(refusalOf(finish)).toMatchObject(stale);
    expect(world.call("task show", world.operator, { task }).attempts).toMatchObject([
      { fence: 2, state: "running" },
      { fence: 1, state: "abandoned" },
    ]);
  });

  test("of a task whose cancellation was asked for ends the task once its lease has passed", () => {
    const world = createLedgerWorld();
    const { task } = claimed(world);
    world.call("task cancel", world.operator, { task });
    world.clock.advance(60_000);
    // A claim that is refused takes its own take-over back; the sweep makes it.
    expect(codeOf(() => world.call("attempt claim", world.enroll("worker"), { task }))).toBe("wrong_state");
    expect(taskState(world, task)).toBe("cancel_requested");
  });

  test("is never taken over while a launch is not over, however long it is silent", () => {
    const world = createLedgerWorld();
    const { task, worker } = bound(world);
    world.clock.advance(30 * 24 * 3_600_000);
    const refusal = refusalOf(() => world.call("attempt claim", world.enroll("worker"), { task }));
    expect(refusal).toMatchObject({ code: "task_held", fields: { holder: worker.actor, fence: 1 } });
  });

  test("of a task with a launch that is only reserved is refused, naming the launch", () => {
    const world = createLedgerWorld();
    const { task, launch } = reserved(world);
    const refusal = refusalOf(() => world.call("attempt claim", world.enroll("worker"), { task }));
    expect(refusal).toMatchObject({ code: "task_held", fields: { launch } });
  });

  test("by a launched worker is refused: its launch brings its task", () => {
    const world = createLedgerWorld();
    const { worker } = bound(world);
    expect(codeOf(() => world.call("attempt claim", worker, { task: addTask(world) }))).toBe("forbidden");
  });
});

describe("a renewal", () => {
  test("moves the lease and nothing else (LEDGER-6)", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    const before = world.statements.get<Record<string, unknown>>("SELECT * FROM attempt");
    world.clock.advance(15_000);
    expect(world.call("attempt renew", worker, { task, fence })).toMatchObject({
      leaseUntil: at(75_000),
      progressAt: at(0),
      leaseMs: 60_000,
    });
    expect(world.statements.get("SELECT * FROM attempt")).toEqual({
      ...before,
      lease_until: WORLD_BEGAN_AT + 75_000,
      renewed_at: WORLD_BEGAN_AT + 15_000,
    });
  });

  test("is accepted after the lease while nobody took the task: a fence decides, not time", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    world.clock.advance(3_600_000);
    expect(world.call("attempt renew", worker, { task, fence }).state).toBe("running");
  });

  test("by another actor, or with a fence that was never given, writes nothing", () => {
    const world = createLedgerWorld();
    const { task, fence } = claimed(world);
    const other = world.enroll("worker");
    expect(codeOf(() => world.call("attempt renew", other, { task, fence }))).toBe("forbidden");
    expect(codeOf(() => world.call("attempt renew", other, { task, fence: 7 }))).toBe("not_found");
  });
});

describe("a fence that is no longer the newest", () => {
  test("writes nothing, even where its attempt's row still says that it runs (LEDGER-2)", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    world.statements.run("UPDATE task SET last_fence = 2");
    const before = world.statements.all("SELECT * FROM attempt JOIN task ON task.id = attempt.task");
    const write = { task, fence };
    expect(codeOf(() => world.call("attempt renew", worker, write))).toBe("stale_fence");
    expect(codeOf(() => world.call("attempt progress", worker, { ...write, note: "on" }))).toBe(
      "stale_fence",
    );
    const finish = { ...write, outcome: "completed" } as const;
    expect(codeOf(() => world.call("attempt finish", worker, finish))).toBe("stale_fence");
    expect(world.statements.all("SELECT * FROM attempt JOIN task ON task.id = attempt.task")).toEqual(before);
  });
});

describe("progress", () => {
  test("moves its deadline by the attempt's own timeout", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    world.clock.advance(60_000);
    expect(world.call("attempt progress", worker, { task, fence, note: "tests pass" })).toMatchObject({
      progressAt: at(60_000),
      progressNote: "tests pass",
      progressTimeoutMs: 900_000,
    });
    const row = world.statements.get<{ due: number }>("SELECT progress_due_at AS due FROM attempt");
    expect(row?.due).toBe(WORLD_BEGAN_AT + 960_000);
  });

  test.each([
    ["the setting's, where nothing is declared", {}, {}, 900_000],
    ["the declared duration, where that is longer (H3)", { durationMs: 1_800_000 }, {}, 1_800_000],
    ["the setting's, where the declared duration is shorter", { durationMs: 1000 }, {}, 900_000],
    [
      "the requester's own, whatever is declared",
      { durationMs: 1_800_000 },
      { progressTimeoutMs: 5000 },
      5000,
    ],
  ])("has for its timeout %s", (_name, more, own, expected) => {
    const world = createLedgerWorld();
    const brief = { objective: "build", ...more };
    const { task } = world.call("task add", world.operator, { title: "Build", brief, ...own });
    const hold = world.call("attempt claim", world.enroll("worker"), { task });
    expect(hold.progressTimeoutMs).toBe(expected);
  });
});

describe("a finish", () => {
  test("ends attempt and task together, with its result", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    const result = { commit: "abc", files: [1, 2] };
    const ended = world.call("attempt finish", worker, { task, fence, outcome: "completed", result });
    expect(ended).toMatchObject({ state: "completed", result, endedAt: at(0) });
    expect(taskState(world, task)).toBe("completed");
  });

  test("repeated by the same fence, under a new id and with another outcome, gets the first one", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    const first = world.call("attempt finish", worker, { task, fence, outcome: "completed", result: 1 });
    world.clock.advance(1000);
    const events = world.events().length;
    expect(world.call("attempt finish", worker, { task, fence, outcome: "failed", result: 2 })).toEqual(
      first,
    );
    expect(world.events()).toHaveLength(events);
    expect(taskState(world, task)).toBe("completed");
  });

  test("with the newest fence counts though its lease was given up, as long as nobody took the task", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    world.clock.advance(60_000);
    world.transact((tx) => {
      tx.run("UPDATE attempt SET state = 'abandoned', ended_at = @now", { now: tx.now });
      tx.run("UPDATE task SET state = 'open'");
    });
    expect(world.call("attempt finish", worker, { task, fence, outcome: "completed" }).state).toBe(
      "completed",
    );
    expect(taskState(world, task)).toBe("completed");
  });

  test("of an attempt given up for a cancelled task is stale", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    world.transact((tx) => {
      tx.run("UPDATE attempt SET state = 'abandoned', ended_at = @now", { now: tx.now });
      tx.run("UPDATE task SET state = 'open'");
    });
    world.call("task cancel", world.operator, { task });
    const finish = () => world.call("attempt finish", worker, { task, fence, outcome: "completed" });
    expect(refusalOf(finish)).toMatchObject({
      code: "stale_fence",
      fields: { state: "abandoned", taskState: "cancelled", holder: null, changed: false },
    });
    expect(taskState(world, task)).toBe("cancelled");
  });

  test("as cancelled is refused where nobody asked for it", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    const finish = () => world.call("attempt finish", worker, { task, fence, outcome: "cancelled" });
    expect(codeOf(finish)).toBe("wrong_state");
    expect(taskState(world, task)).toBe("running");
  });

  test("by an older revision's fence, once its actor was enrolled again, is the same actor's word", () => {
    const world = createLedgerWorld();
    const { task, worker, fence } = claimed(world);
    world.transact((tx) => {
      tx.run(
        `INSERT INTO enrollment (actor, revision, consumer, capability_digest, state, created_at, ended_at)
         VALUES (@actor, 2, 'script', @digest, 'superseded', @now, @now)`,
        { actor: worker.actor, digest: "0".repeat(64), now: tx.now },
      );
    });
    const again = { ...worker, revision: 2 };
    expect(world.call("attempt finish", again, { task, fence, outcome: "completed" }).state).toBe(
      "completed",
    );
  });
});

describe("a launched worker's session", () => {
  test("that was replaced writes nothing; the new one writes once it is proven", () => {
    const world = createLedgerWorld();
    const { task, worker, fence, launch } = bound(world);
    const progress = (nativeSession: string) =>
      world.call("attempt progress", worker, { task, fence, note: "on", nativeSession });
    expect(progress("session-1").progressNote).toBe("on");
    challenge(world, launch, "mcp-2", "session-2");
    expect(refusalOf(() => progress("session-1"))).toMatchObject({
      code: "stale_fence",
      fields: { newerSession: "session-2" },
    });
    expect(codeOf(() => progress("session-2"))).toBe("readiness_pending");
  });

  test("goes on by its fence behind a new MCP process, before that one has proven itself", () => {
    const world = createLedgerWorld();
    const { task, worker, fence, launch } = bound(world);
    challenge(world, launch, "mcp-2", "session-1");
    const nativeSession = "session-1";
    const finish = { task, fence, outcome: "completed", nativeSession } as const;
    expect(world.call("attempt finish", worker, finish).state).toBe("completed");
  });

  test("is to be named: a session that was replaced does not write by keeping silent", () => {
    const world = createLedgerWorld();
    const { task, worker, fence, launch } = bound(world);
    challenge(world, launch, "mcp-2", "session-2");
    const missing = { code: "invalid_input", fields: { path: "nativeSession", launch, changed: false } };
    const progress = () => world.call("attempt progress", worker, { task, fence, note: "on" });
    expect(refusalOf(progress)).toMatchObject(missing);
    const finish = () => world.call("attempt finish", worker, { task, fence, outcome: "completed" });
    expect(refusalOf(finish)).toMatchObject(missing);
    expect(world.call("task show", world.operator, { task }).state).toBe("running");
  });
});

describe("a claim that was given up", () => {
  test("finishes nothing once a launch is reserved for its task, and may again after that one failed", () => {
    const world = createLedgerWorld();
    const worker = world.enroll("worker");
    const task = addTask(world);
    const { fence } = world.call("attempt claim", worker, { task });
    world.clock.advance(60_000);
    const { launch } = reserved(world, task);
    const finish = () => world.call("attempt finish", worker, { task, fence, outcome: "completed" });
    expect(refusalOf(finish)).toMatchObject({
      code: "stale_fence",
      fields: { launch, fence, state: "abandoned", changed: false },
    });
    world.call("launch advance", world.launcher, { launch, from: "reserved", to: "failed" });
    expect(finish().state).toBe("completed");
  });
});
