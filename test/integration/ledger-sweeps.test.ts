/** What time alone does: leases, progress, deadlines, silence; and what an absence of the owner forgives. */
import { describe, expect, test } from "vitest";
import { type AbsenceCause, grantFreshTerm } from "../../src/coordinator/sweeps/fresh-term.ts";
import { sweep } from "../../src/coordinator/sweeps/sweep.ts";
import { addTask, answer, awaiting, bound, provisioned, stateOf } from "../fixtures/ledger-launch.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const NOTHING = { leases: 0, progress: 0, launches: 0, supervision: 0, deliveries: 0, unresolved: 0 };

const swept = (world: LedgerWorld) => world.transact(sweep);

const task = (world: LedgerWorld, id: string) => world.call("task show", world.operator, { task: id });

const openAlarms = (world: LedgerWorld) =>
  world.statements
    .all<{ kind: string; subject: string }>(
      "SELECT kind, subject FROM alarm WHERE resolved_at IS NULL ORDER BY kind, subject",
    )
    .map(({ kind, subject }) => `${kind} ${subject}`);

/** The wrapper's heartbeat and the lease's renewal, as long as the worker lives. */
function beat(world: LedgerWorld, { launch, worker, task: id, fence }: ReturnType<typeof bound>): void {
  world.call("launch report", worker, { launch, part: "wrapper", state: "connected" });
  world.call("attempt renew", worker, { task: id, fence });
}

describe("a sweep of leases", () => {
  test("opens the task of a script from the instant at which its lease passed", () => {
    const world = createLedgerWorld();
    const id = addTask(world);
    const worker = world.enroll("worker");
    world.call("attempt claim", worker, { task: id });
    world.clock.advance(MINUTE - 1);
    expect(swept(world)).toEqual(NOTHING);
    world.clock.advance(1);
    expect(swept(world)).toEqual({ ...NOTHING, leases: 1 });
    expect(task(world, id)).toMatchObject({ state: "open", attempts: [{ state: "abandoned" }] });
    // It came late, and nobody took the task: its word counts.
    world.call("attempt finish", worker, { task: id, fence: 1, outcome: "completed" });
    expect(task(world, id).state).toBe("completed");
  });

  test("cancels the task of a script that was asked to stop", () => {
    const world = createLedgerWorld();
    const id = addTask(world);
    world.call("attempt claim", world.enroll("worker"), { task: id });
    world.call("task cancel", world.operator, { task: id });
    world.clock.advance(MINUTE);
    swept(world);
    expect(task(world, id).state).toBe("cancelled");
  });

  test("makes a launched worker's attempt uncertain and keeps its task; a renewal makes it run again", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    world.clock.advance(MINUTE);
    expect(swept(world).leases).toBe(1);
    expect(task(world, scene.task)).toMatchObject({ state: "running", attempts: [{ state: "uncertain" }] });
    expect(swept(world).leases).toBe(0);
    beat(world, scene);
    expect(task(world, scene.task)).toMatchObject({ attempts: [{ state: "running" }] });
  });

  test("takes a finish from an uncertain attempt", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    world.clock.advance(MINUTE);
    swept(world);
    const { task: id, fence, worker } = scene;
    world.call("attempt finish", worker, {
      task: id,
      fence,
      outcome: "completed",
      nativeSession: "session-1",
    });
    expect(task(world, id).state).toBe("completed");
  });
});

describe("a sweep of progress", () => {
  test("raises one alarm after the deadline, though lease and health go on (H2); progress resolves it", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    const due = world.statements.get<{ at: number }>("SELECT progress_due_at AS at FROM attempt");
    for (let minute = 0; minute < 20; minute += 1) {
      for (let beats = 0; beats < 4; beats += 1) {
        world.clock.advance(15 * SECOND);
        beat(world, scene);
        swept(world);
      }
      expect(openAlarms(world)).toEqual(minute < 14 ? [] : [`stale_progress ${scene.task}:1`]);
    }
    expect(world.statements.get("SELECT progress_due_at AS at FROM attempt")).toEqual(due);
    expect(world.statements.all("SELECT id FROM alarm")).toHaveLength(1);
    const { task: id, fence, worker } = scene;
    world.call("attempt progress", worker, { task: id, fence, note: "at last", nativeSession: "session-1" });
    expect(openAlarms(world)).toEqual([]);
    expect(task(world, id).state).toBe("running");
  });

  test("is silent during a build of thirty minutes that was declared (H3)", () => {
    const world = createLedgerWorld();
    const scene = bound(world, addTask(world, { durationMs: 30 * MINUTE }));
    for (let quarter = 0; quarter < 119; quarter += 1) {
      world.clock.advance(15 * SECOND);
      beat(world, scene);
      swept(world);
    }
    expect(openAlarms(world)).toEqual([]);
    world.clock.advance(15 * SECOND);
    beat(world, scene);
    swept(world);
    expect(openAlarms(world)).toEqual([`stale_progress ${scene.task}:1`]);
    expect(stateOf(world, scene.launch)).toBe("bound");
  });

  test("tells the requester's inbox once, and touches an open alarm once a minute", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    world.clock.advance(15 * MINUTE);
    beat(world, scene);
    expect(swept(world).progress).toBe(1);
    expect(swept(world).progress).toBe(0);
    world.clock.advance(MINUTE);
    beat(world, scene);
    expect(swept(world).progress).toBe(1);
    expect(world.statements.all("SELECT id FROM message WHERE kind = 'alarm'")).toHaveLength(1);
  });

  test("an end resolves the alarm as well", () => {
    const world = createLedgerWorld();
    const { task: id, fence, worker } = bound(world);
    world.clock.advance(15 * MINUTE);
    swept(world);
    world.call("attempt finish", worker, { task: id, fence, outcome: "failed", nativeSession: "session-1" });
    expect(openAlarms(world).filter((alarm) => alarm.startsWith("stale_progress"))).toEqual([]);
  });
});

describe("a sweep of launch deadlines", () => {
  test("fails a launch that asked nothing of a host, and frees its task", () => {
    const world = createLedgerWorld();
    const { launch, task: id } = provisioned(world);
    world.clock.advance(MINUTE);
    expect(swept(world).launches).toBe(1);
    expect(stateOf(world, launch)).toBe("failed");
    expect(world.call("attempt claim", world.enroll("worker"), { task: id }).fence).toBe(1);
  });

  test("makes a late worker uncertain, keeps its challenge on offer, and a late answer resolves the alarm", () => {
    const world = createLedgerWorld();
    const scene = awaiting(world);
    const { launch } = scene;
    world.clock.advance(MINUTE);
    world.call("launch report", scene.worker, { launch, part: "wrapper", state: "connected" });
    swept(world);
    expect(stateOf(world, launch)).toBe("uncertain");
    expect(openAlarms(world)).toEqual([`readiness_timeout ${launch}`]);
    answer(world, scene);
    expect(stateOf(world, launch)).toBe("bound");
    expect(openAlarms(world)).toEqual([]);
  });

  test("gives a launch that waits for a person its own, longer term", () => {
    const world = createLedgerWorld();
    const { launch, worker } = awaiting(world);
    const from = "awaiting_worker_ready";
    world.call("launch advance", worker, { launch, from, to: "startup_blocked", reason: "trust" });
    const wait = (ms: number) => {
      world.clock.advance(ms);
      world.call("launch report", worker, { launch, part: "wrapper", state: "connected" });
      swept(world);
      return stateOf(world, launch);
    };
    expect(wait(30 * MINUTE - 1)).toBe("startup_blocked");
    expect(wait(1)).toBe("uncertain");
    expect(openAlarms(world)).toEqual([`startup_blocked ${launch}`]);
  });

  test("makes an unproven stop uncertain, and never ends it", () => {
    const world = createLedgerWorld();
    const { launch, task: id } = bound(world);
    world.call("launch advance", world.launcher, { launch, from: "bound", to: "stopping" });
    world.clock.advance(24 * 60 * MINUTE);
    swept(world);
    swept(world);
    expect(stateOf(world, launch)).toBe("uncertain");
    expect(task(world, id).state).toBe("running");
  });
});

describe("a sweep of supervision", () => {
  test("raises supervision_lost for a silent wrapper, moves nothing, and its next word resolves it", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    beat(world, scene);
    world.clock.advance(45 * SECOND - 1);
    expect(swept(world).supervision).toBe(0);
    world.clock.advance(1);
    expect(swept(world).supervision).toBe(1);
    expect(openAlarms(world)).toEqual([`supervision_lost ${scene.launch}`]);
    expect(stateOf(world, scene.launch)).toBe("bound");
    beat(world, scene);
    expect(openAlarms(world)).toEqual([]);
  });
});

describe("a wrapper's word", () => {
  test("resolves supervision_lost whatever it says", () => {
    const world = createLedgerWorld();
    const { launch, worker } = bound(world);
    world.clock.advance(45 * SECOND);
    swept(world);
    expect(openAlarms(world)).toEqual([`supervision_lost ${launch}`]);
    world.call("launch report", worker, { launch, part: "mcp", state: "ready" });
    expect(openAlarms(world)).toEqual([`supervision_lost ${launch}`]);
    world.call("launch report", worker, { launch, part: "wrapper", state: "blocked", reason: "suspended" });
    expect(openAlarms(world)).toEqual([]);
  });
});

describe("a fresh term", () => {
  const absences: [AbsenceCause, number][] = [
    ["owner_start", 8 * 60 * MINUTE],
    ["host_suspended", 8 * 60 * MINUTE],
    ["owner_stalled", 10 * MINUTE],
    ["clock_jump", 365 * 24 * 60 * MINUTE],
    ["clock_jump", -365 * 24 * 60 * MINUTE],
  ];

  test.each(absences)("after %s of %i ms lets nothing expire and raises no alarm (D8)", (cause, awayMs) => {
    const world = createLedgerWorld();
    const [working, starting] = [bound(world), awaiting(world)];
    beat(world, working);
    const script = world.enroll("worker");
    const id = addTask(world);
    world.call("attempt claim", script, { task: id });
    world.clock.advance(awayMs);
    const granted = world.transact((tx) => grantFreshTerm(tx, cause));
    expect(granted).toEqual({ leases: 2, progress: 2, deliveries: 0, launches: 1 });
    expect(swept(world)).toEqual(NOTHING);
    world.clock.advance(44 * SECOND);
    expect(swept(world)).toEqual(NOTHING);
    expect(openAlarms(world)).toEqual([]);
    expect(stateOf(world, starting.launch)).toBe("awaiting_worker_ready");
    expect(world.call("attempt renew", script, { task: id, fence: 1 }).state).toBe("running");
    beat(world, working);
    expect(task(world, working.task).attempts).toMatchObject([{ state: "running" }]);
  });

  test.each([60, -60])("is given to a message that is out, after %i minutes away", (minutes) => {
    const world = createLedgerWorld();
    const worker = world.enroll("worker");
    world.call("inbox send", world.operator, { to: [worker.actor], body: "rebase" });
    world.call("inbox fetch", worker, {});
    world.clock.advance(minutes * MINUTE);
    expect(world.transact((tx) => grantFreshTerm(tx, "clock_jump")).deliveries).toBe(1);
    world.clock.advance(30 * SECOND - 1);
    expect(swept(world)).toEqual(NOTHING);
    world.clock.advance(1);
    expect(swept(world)).toEqual({ ...NOTHING, deliveries: 1 });
  });

  test("is one term: who is not heard of in it is treated as ever, and its alarm says after what", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    world.clock.advance(8 * 60 * MINUTE);
    world.transact((tx) => grantFreshTerm(tx, "host_suspended"));
    world.clock.advance(MINUTE);
    expect(swept(world)).toEqual({ ...NOTHING, leases: 1, supervision: 1 });
    const [alarm] = world.call("launch show", world.operator, { launch: scene.launch }).alarms;
    expect(alarm?.detail).toMatch(/, after host_suspended at 2026-/);
  });

  test("after a clock that was set back leaves no wrapper silent until the old time comes", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    beat(world, scene);
    world.clock.advance(-365 * 24 * 60 * MINUTE);
    world.transact((tx) => grantFreshTerm(tx, "clock_jump"));
    world.clock.advance(45 * SECOND);
    expect(swept(world).supervision).toBe(1);
  });

  test("moves no progress, only the deadline after it", () => {
    const world = createLedgerWorld();
    bound(world);
    const progress = "SELECT progress_at, progress_note, renewed_at FROM attempt";
    const before = world.statements.get(progress);
    world.clock.advance(60 * MINUTE);
    world.transact((tx) => grantFreshTerm(tx, "owner_start"));
    expect(world.statements.get(progress)).toEqual(before);
    world.clock.advance(15 * MINUTE);
    swept(world);
    expect(openAlarms(world).some((alarm) => alarm.startsWith("stale_progress"))).toBe(true);
  });
});

describe("a sweep with nothing due", () => {
  test("writes nothing but, once a minute, that the owner serves", () => {
    const world = createLedgerWorld();
    bound(world);
    const changes = () => world.statements.get<{ n: number }>("SELECT total_changes() AS n")?.n ?? 0;
    const before = changes();
    expect(swept(world)).toEqual(NOTHING);
    expect(changes()).toBe(before);
  });

  test.each([
    ["attempt_by_lease", "SELECT 1 FROM attempt WHERE state = 'running' AND lease_until <= 1"],
    ["attempt_by_progress", "SELECT 1 FROM attempt WHERE ended_at IS NULL AND progress_due_at <= 1"],
    ["launch_by_deadline", "SELECT 1 FROM launch WHERE deadline_at IS NOT NULL AND deadline_at <= 1"],
  ])("finds what is due by %s, not among settled rows", (index, sql) => {
    const { statements } = createLedgerWorld();
    const [step] = statements.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    expect(step?.detail).toContain(index);
  });
});

describe("what nobody settles", () => {
  test("alarms once it is many, and no more once there is less", () => {
    const world = createLedgerWorld();
    const worker = world.enroll("worker");
    world.call("settings set", world.operator, { key: "alarm.unresolved", value: 2 });
    world.call("settings set", world.operator, { key: "inbox.attempts", value: 1 });
    const given = () => {
      const to = [worker.actor];
      const { message } = world.call("inbox send", world.operator, { to, body: "work" });
      world.call("inbox fetch", worker, {});
      world.clock.advance(MINUTE);
      return { message, swept: swept(world) };
    };
    expect(given().swept).toEqual({ ...NOTHING, deliveries: 1 });
    const second = given();
    expect(second.swept).toEqual({ ...NOTHING, deliveries: 1, unresolved: 1 });
    expect(swept(world)).toEqual(NOTHING);
    expect(world.call("alarm ls", world.operator, {}).alarms).toMatchObject([
      {
        kind: "unresolved_growth",
        subjectKind: "scope",
        subject: "scope",
        requester: "operator",
        detail: "0 launches and 2 messages wait for evidence or for a person; 2 are many.",
      },
    ]);
    const { message } = second;
    world.call("inbox reconcile", world.operator, { message, outcome: "processed", reason: "seen" });
    expect(swept(world)).toEqual({ ...NOTHING, unresolved: 1 });
    expect(openAlarms(world)).toEqual([]);
  });
});

test("a stop has a deadline of its own", () => {
  const world = createLedgerWorld();
  world.call("settings set", world.operator, { key: "launch.stop-deadline", value: "10m" });
  const { launch } = bound(world);
  world.call("launch advance", world.launcher, { launch, from: "bound", to: "stopping" });
  world.clock.advance(10 * MINUTE - 1);
  swept(world);
  expect(stateOf(world, launch)).toBe("stopping");
  world.clock.advance(1);
  swept(world);
  expect(stateOf(world, launch)).toBe("uncertain");
});
