/** Launches: advanced by compare and set, bound by proof alone, reported of, and ended. */
import { describe, expect, test } from "vitest";
import { moveLaunch } from "../../src/coordinator/launches/move-launch.ts";
import { codeOf, refusalOf } from "../fixtures/coded-error.ts";
import {
  answer,
  awaiting,
  bound,
  challenge,
  digestOf,
  provisioned,
  reserved,
  stateOf,
} from "../fixtures/ledger-launch.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const taskState = (world: LedgerWorld, task: string) =>
  world.call("task show", world.operator, { task }).state;

describe("advancing", () => {
  test("is compare and set: of two wrappers one wins, and the other is told the state", () => {
    const world = createLedgerWorld();
    const { launch, worker } = provisioned(world);
    world.call("launch advance", world.launcher, { launch, from: "provisioned", to: "starting" });
    const move = { launch, from: "starting", to: "awaiting_worker_ready" } as const;
    world.call("launch advance", worker, move);
    expect(refusalOf(() => world.call("launch advance", worker, move))).toMatchObject({
      code: "wrong_state",
      fields: { state: "awaiting_worker_ready", from: "starting", changed: false },
    });
  });

  test("compares inside its statement, so whoever read an older state writes nothing", () => {
    const world = createLedgerWorld();
    const { launch } = reserved(world);
    const move = { launch, from: "provisioned", to: "failed", source: "sweep", reason: null } as const;
    expect(world.transact((tx) => moveLaunch(tx, move))).toBe(false);
    expect(world.call("launch show", world.operator, { launch })).toMatchObject({
      state: "reserved",
      history: [{ state: "reserved" }],
    });
  });

  test("reaches neither provisioned nor bound by anybody's word (DISPATCH-1)", () => {
    const world = createLedgerWorld();
    const first = reserved(world);
    const provision = { launch: first.launch, from: "reserved", to: "provisioned" } as const;
    expect(codeOf(() => world.call("launch advance", world.launcher, provision))).toBe("forbidden");
    const { launch } = awaiting(world);
    const bind = { launch, from: "awaiting_worker_ready", to: "bound" } as const;
    expect(codeOf(() => world.call("launch advance", world.launcher, bind))).toBe("forbidden");
    expect(() =>
      world.statements.run("UPDATE launch SET state = 'bound' WHERE id = @launch", { launch }),
    ).toThrow("DISPATCH-1");
  });

  test("by a worker is for its own launch, and not to an end", () => {
    const world = createLedgerWorld();
    const [own, other] = [awaiting(world), awaiting(world)];
    const advance = (launch: string, to: "failed" | "stopping") => () =>
      world.call("launch advance", own.worker, { launch, from: "awaiting_worker_ready", to });
    expect(codeOf(advance(other.launch, "stopping"))).toBe("forbidden");
    expect(codeOf(advance(own.launch, "failed"))).toBe("forbidden");
    expect(codeOf(advance(own.launch, "stopping"))).toBe(null);
  });

  test("to startup_blocked raises an alarm for the requester, which readiness resolves", () => {
    const world = createLedgerWorld();
    const scene = awaiting(world);
    const { launch } = scene;
    const reason = "the trust dialog is open";
    const move = { launch, from: "awaiting_worker_ready", to: "startup_blocked", reason } as const;
    const blocked = world.call("launch advance", scene.worker, move);
    expect(Date.parse(blocked.deadlineAt ?? "") - world.clock.now()).toBe(1_800_000);
    expect(world.call("launch show", world.operator, { launch }).alarms).toMatchObject([
      { kind: "startup_blocked", detail: `Launch ${launch} waits for a person: ${reason}.` },
    ]);
    answer(world, scene);
    expect(world.call("launch show", world.operator, { launch }).alarms).toEqual([]);
  });
});

describe("an answered challenge", () => {
  test("claims the task and binds the launch in one step, read back as one", () => {
    const world = createLedgerWorld();
    const scene = awaiting(world);
    const hold = answer(world, scene);
    expect(hold).toMatchObject({
      task: scene.task,
      fence: 1,
      actor: scene.worker.actor,
      launch: scene.launch,
    });
    expect(world.call("launch show", world.operator, { launch: scene.launch })).toMatchObject({
      state: "bound",
      deadlineAt: null,
      readiness: [{ mcpInstance: "mcp-1", nativeSession: "session-1", fence: 1, voidedAt: null }],
    });
    expect(taskState(world, scene.task)).toBe("running");
  });

  test("repeated under another id gets the same hold, and claims nothing more", () => {
    const world = createLedgerWorld();
    const scene = awaiting(world);
    const first = answer(world, scene);
    const events = world.events().length;
    expect(answer(world, scene)).toEqual(first);
    expect(world.events()).toHaveLength(events);
  });

  test("with a wrong nonce, of another session or by another worker binds nothing", () => {
    const world = createLedgerWorld();
    const [scene, other] = [awaiting(world), awaiting(world)];
    const ready =
      (more: object, worker = scene.worker) =>
      () =>
        world.call("launch ready", worker, {
          launch: scene.launch,
          mcpInstance: "mcp-1",
          nativeSession: "session-1",
          nonce: "0123456789abcdef mcp-1 session-1",
          ...more,
        });
    expect(codeOf(ready({ nonce: "fedcba9876543210" }))).toBe("forbidden");
    expect(codeOf(ready({ mcpInstance: "mcp-2" }))).toBe("forbidden");
    expect(codeOf(ready({ nativeSession: "session-2" }))).toBe("forbidden");
    expect(codeOf(ready({}, other.worker))).toBe("forbidden");
    expect(codeOf(ready({}, { ...scene.worker, revision: 2 }))).toBe("forbidden");
    expect(stateOf(world, scene.launch)).toBe("awaiting_worker_ready");
    expect(codeOf(ready({}))).toBe(null);
  });

  test("of a challenge that was replaced is refused; the newest counts", () => {
    const world = createLedgerWorld();
    const scene = awaiting(world);
    challenge(world, scene.launch, "mcp-2", "session-1");
    expect(codeOf(() => answer(world, scene))).toBe("forbidden");
    expect(answer(world, scene, "mcp-2").fence).toBe(1);
  });

  test("is void once its own process is challenged anew, and stays on record", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    const { launch, worker, task, fence } = scene;
    const process = { launch, mcpInstance: "mcp-1", nativeSession: "session-1" };
    const nonce = "another nonce of enough length";
    world.clock.advance(1000);
    world.call("launch challenge", world.launcher, { ...process, challengeDigest: digestOf(nonce) });
    const shown = () => world.call("launch show", world.operator, { launch });
    const first = { answeredAt: "2026-01-01T00:00:00.000Z", voidedAt: "2026-01-01T00:00:01.000Z", fence: 1 };
    expect(shown()).toMatchObject({ state: "bound", readiness: [{ answeredAt: null, fence: null }, first] });
    expect(codeOf(() => answer(world, scene))).toBe("forbidden");
    // The session that held the task goes on by its fence meanwhile.
    const progress = { task, fence, note: "on", nativeSession: "session-1" };
    expect(world.call("attempt progress", worker, progress).progressNote).toBe("on");
    expect(world.call("launch ready", worker, { ...process, nonce }).fence).toBe(1);
    expect(shown().readiness).toMatchObject([{ fence: 1, voidedAt: null }, first]);
    expect(codeOf(() => challenge(world, launch, "mcp-1", "session-1"))).toBe("idempotency_conflict");
  });

  test("binds an uncertain launch as well: late is no reason to refuse (D5)", () => {
    const world = createLedgerWorld();
    const scene = awaiting(world);
    const { launch } = scene;
    world.call("launch advance", world.launcher, { launch, from: "awaiting_worker_ready", to: "uncertain" });
    expect(answer(world, scene).state).toBe("running");
    expect(stateOf(world, launch)).toBe("bound");
  });

  test("fails with worker_claim_failed where the task was cancelled meanwhile, and binds nothing", () => {
    const world = createLedgerWorld();
    const scene = awaiting(world);
    world.call("task cancel", world.operator, { task: scene.task });
    expect(refusalOf(() => answer(world, scene))).toMatchObject({
      code: "worker_claim_failed",
      fields: { task: scene.task, state: "cancelled", changed: false },
    });
    expect(stateOf(world, scene.launch)).toBe("awaiting_worker_ready");
  });

  test("of a later process proves it for the attempt that is there, even one that has finished", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    const { task, fence, worker } = scene;
    world.call("attempt finish", worker, { task, fence, outcome: "completed", nativeSession: "session-1" });
    challenge(world, scene.launch, "mcp-2", "session-2");
    expect(answer(world, scene, "mcp-2", "session-2")).toMatchObject({ fence: 1, state: "completed" });
    expect(taskState(world, task)).toBe("completed");
  });

  test("makes an uncertain attempt of its launch run again", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    world.transact((tx) => tx.run("UPDATE attempt SET state = 'uncertain'"));
    challenge(world, scene.launch, "mcp-2", "session-1");
    expect(answer(world, scene, "mcp-2")).toMatchObject({ fence: 1, state: "running" });
  });
});

describe("the end of a launch", () => {
  const end = (
    world: LedgerWorld,
    launch: string,
    ...states: ("stopping" | "uncertain" | "released" | "abandoned")[]
  ) => {
    for (const to of states)
      world.call("launch advance", world.launcher, { launch, from: stateOf(world, launch), to });
  };

  test("released: frees the task that was still held; the newest fence's late word counts, where its actor still speaks", () => {
    const world = createLedgerWorld();
    const { task, launch, worker, fence } = bound(world);
    end(world, launch, "stopping", "released");
    expect(taskState(world, task)).toBe("open");
    const { revision } = world.call("enroll", world.operator, {
      actor: worker.actor,
      kind: "worker",
      label: "by hand",
      capabilityDigest: digestOf("another secret"),
    });
    const write = { task, fence, outcome: "completed", nativeSession: "session-1" } as const;
    world.call("attempt finish", { ...worker, revision }, write);
    expect(taskState(world, task)).toBe("completed");
  });

  test("released after a finish: the finished attempt is the success (D14)", () => {
    const world = createLedgerWorld();
    const { task, launch, worker, fence } = bound(world);
    world.call("attempt finish", worker, { task, fence, outcome: "completed", nativeSession: "session-1" });
    end(world, launch, "stopping", "released");
    expect(world.call("task show", world.operator, { task })).toMatchObject({
      state: "completed",
      attempts: [{ state: "completed" }],
    });
  });

  test("released while the task was to be cancelled: the task is cancelled", () => {
    const world = createLedgerWorld();
    const { task, launch } = bound(world);
    world.call("task cancel", world.operator, { task });
    end(world, launch, "stopping", "released");
    expect(taskState(world, task)).toBe("cancelled");
  });

  test("abandoned: fenced for ever, its task free for the next", () => {
    const world = createLedgerWorld();
    const { task, launch, worker, fence } = bound(world);
    end(world, launch, "uncertain", "abandoned");
    const write = { task, fence, outcome: "completed", nativeSession: "session-1" } as const;
    const finish = () => world.call("attempt finish", worker, write);
    expect(codeOf(finish)).toBe("stale_fence");
    expect(world.call("actor ls", world.operator, { all: true }).actors).toContainEqual(
      expect.objectContaining({ actor: worker.actor, state: "revoked" }),
    );
    expect(world.call("attempt claim", world.enroll("worker"), { task }).fence).toBeGreaterThan(fence + 1);
  });

  test("is the end of all reports: who still runs for it is told to stop", () => {
    const world = createLedgerWorld();
    const { launch, worker } = bound(world);
    end(world, launch, "stopping", "released");
    const health = { launch, part: "wrapper", state: "connected" } as const;
    expect(codeOf(() => world.call("launch report", worker, health))).toBe("wrong_state");
    const observation = { launch, activity: "busy", source: "hook" } as const;
    expect(codeOf(() => world.call("launch observe", worker, observation))).toBe("wrong_state");
    expect(codeOf(() => challenge(world, launch, "mcp-2", "session-1"))).toBe("wrong_state");
  });

  test("leaves history that names a generation nobody has any more (X48)", () => {
    const world = createLedgerWorld();
    const { launch } = bound(world);
    end(world, launch, "stopping", "released");
    expect(world.call("launch show", world.operator, { launch })).toMatchObject({
      generation: "gen-1",
      history: [
        { state: "reserved" },
        { state: "provisioned" },
        { state: "starting" },
        { state: "awaiting_worker_ready" },
        { state: "bound" },
        { state: "stopping" },
        { state: "released" },
      ],
    });
    expect(() => world.statements.run("UPDATE launch_event SET detail = '{}'")).toThrow("never changes");
  });
});

describe("an uncertain launch", () => {
  test("is bound again by the launcher only while its answered readiness stands", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    const { launch } = scene;
    const move = (from: "bound" | "uncertain", to: "bound" | "uncertain") => () =>
      world.call("launch advance", world.launcher, { launch, from, to });
    move("bound", "uncertain")();
    expect(move("uncertain", "bound")().state).toBe("bound");
    move("bound", "uncertain")();
    challenge(world, launch, "mcp-2", "session-2");
    expect(codeOf(move("uncertain", "bound"))).toBe("forbidden");
  });
});

describe("reports", () => {
  test("write their own columns alone, and the feed hears of changes", () => {
    const world = createLedgerWorld();
    const { launch, worker } = bound(world);
    const rows = () =>
      world.statements.all("SELECT * FROM launch JOIN attempt ON attempt.launch = launch.id");
    const before = rows();
    const health = { launch, part: "wrapper", state: "connected" } as const;
    const process = { pid: 7, startTime: "99", boot: "b" };
    world.call("launch report", worker, { ...health, process });
    const events = world.events().length;
    for (let beat = 0; beat < 10; beat += 1) {
      world.clock.advance(5000);
      world.call("launch report", worker, health);
      world.call("launch observe", worker, { launch, activity: "busy", source: "hook" });
    }
    expect(rows()).toEqual(before);
    expect(world.statements.all("SELECT id FROM command WHERE operation LIKE 'launch report'")).toEqual([]);
    expect(world.events()).toHaveLength(events + 1);
    expect(world.call("launch show", world.operator, { launch })).toMatchObject({
      health: [
        { part: "wrapper", state: "connected", pid: 7, at: new Date(world.clock.now()).toISOString() },
      ],
      observation: { activity: "busy", source: "hook" },
    });
  });

  test("of a lost MCP process raise an alarm; of its return resolve it", () => {
    const world = createLedgerWorld();
    const { launch, worker } = bound(world);
    const alarms = () => world.call("launch show", world.operator, { launch }).alarms.map(({ kind }) => kind);
    const mcp = (state: "blocked" | "ready", reason?: string) =>
      world.call("launch report", worker, { launch, part: "mcp", state, reason });
    mcp("blocked", "mcp_disconnected");
    mcp("blocked", "mcp_disconnected");
    expect(alarms()).toEqual(["mcp_disconnected"]);
    mcp("ready");
    expect(alarms()).toEqual([]);
  });
});

describe("the list of launches", () => {
  test("filters by task and state, over pages", () => {
    const world = createLedgerWorld();
    const [first, second] = [bound(world), reserved(world)];
    const ls = (input: object) =>
      world.call("launch ls", world.operator, input).launches.map(({ launch }) => launch);
    expect(ls({ task: first.task })).toEqual([first.launch]);
    expect(ls({ states: ["reserved"] })).toEqual([second.launch]);
    const page = world.call("launch ls", world.operator, { limit: 1 });
    expect(
      [...page.launches.map(({ launch }) => launch), ...ls({ after: page.next ?? "" })].toSorted(),
    ).toEqual([first.launch, second.launch].toSorted());
    expect(
      refusalOf(() => world.call("launch show", world.operator, { launch: `l-${"0".repeat(12)}` }))?.code,
    ).toBe("not_found");
  });
});
