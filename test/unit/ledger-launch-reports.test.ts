/** What is reported of a launch: whose alarms a part may raise, what ends them, and what is no sign of life. */
import { describe, expect, test } from "vitest";
import { grantFreshTerm } from "../../src/coordinator/sweeps/fresh-term.ts";
import { sweep } from "../../src/coordinator/sweeps/sweep.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { answer, bound, challenge, digestOf, type LaunchScene, reserved } from "../fixtures/ledger-launch.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

function report(
  world: LedgerWorld,
  { launch, worker }: LaunchScene,
  said: { readonly part: "wrapper" | "mcp"; readonly state: "ready" | "blocked"; readonly reason?: string },
) {
  return world.call("launch report", worker, { launch, ...said });
}

const openKinds = (world: LedgerWorld) =>
  world.call("alarm ls", world.operator, {}).alarms.map(({ kind }) => kind);

describe("a part that is blocked", () => {
  test("raises what is its own to raise, and settles all of it once it works", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    report(world, scene, { part: "wrapper", state: "blocked", reason: "generation_tampered" });
    report(world, scene, { part: "wrapper", state: "blocked", reason: "host_lost" });
    report(world, scene, { part: "mcp", state: "blocked", reason: "mcp_disconnected" });
    expect(openKinds(world).toSorted()).toEqual(["generation_tampered", "host_lost", "mcp_disconnected"]);
    report(world, scene, { part: "wrapper", state: "ready" });
    expect(openKinds(world)).toEqual(["mcp_disconnected"]);
    report(world, scene, { part: "mcp", state: "ready" });
    expect(openKinds(world)).toEqual([]);
  });

  test("raises nothing that only the owner can know, or that another part would have to settle", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    for (const reason of ["stale_progress", "admission_orphaned", "readiness_timeout", "hooks_missing"]) {
      report(world, scene, { part: "mcp", state: "blocked", reason });
    }
    expect(openKinds(world)).toEqual([]);
  });
});

describe("a wrapper of which the launcher knows nothing", () => {
  test("has not been heard: it is silent since it last spoke", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    report(world, scene, { part: "wrapper", state: "ready" });
    world.clock.advance(40_000);
    const unknown = { launch: scene.launch, part: "wrapper", state: "unknown" } as const;
    expect(world.call("launch report", world.launcher, unknown)).toMatchObject({
      state: "unknown",
      at: "2026-01-01T00:00:00.000Z",
    });
    world.clock.advance(6_000);
    world.transact(sweep);
    expect(openKinds(world)).toEqual(["supervision_lost"]);
    world.call("launch report", world.launcher, unknown);
    expect(openKinds(world)).toEqual(["supervision_lost"]);
  });
});

test("after a clock was set back, status calls those silent of whom the sweep says so", () => {
  const world = createLedgerWorld();
  const scene = bound(world);
  report(world, scene, { part: "wrapper", state: "ready" });
  world.clock.advance(-3_600_000);
  world.transact((tx) => grantFreshTerm(tx, "clock_jump"));
  world.clock.advance(46_000);
  world.transact(sweep);
  expect(openKinds(world)).toEqual(["supervision_lost"]);
  expect(world.call("status", world.operator, {}).workers.silent.map(({ launch }) => launch)).toEqual([
    scene.launch,
  ]);
});

test("one capability serves one launch: a digest that comes again is refused, and enrolls nobody", () => {
  const world = createLedgerWorld();
  const first = reserved(world);
  const second = reserved(world);
  const input = { label: "Port the parser", capabilityDigest: digestOf("one secret") };
  world.call("launch provision", world.launcher, { launch: first.launch, ...input });
  const again = () => world.call("launch provision", world.launcher, { launch: second.launch, ...input });
  expect(codeOf(again)).toBe("wrong_state");
  expect(world.call("launch show", world.operator, { launch: second.launch })).toMatchObject({
    state: "reserved",
    actor: null,
  });
});

test("an MCP process that restarts for ever leaves a bounded record, and its session's proof", () => {
  const world = createLedgerWorld();
  const scene = bound(world);
  const { task, fence, launch } = scene;
  for (let instance = 2; instance < 120; instance += 1) {
    world.clock.advance(1_000);
    challenge(world, launch, `mcp-${instance}`, "session-1");
  }
  expect(world.statements.get("SELECT count(*) AS count FROM readiness")).toEqual({ count: 51 });
  const write = { task, fence, note: "on", nativeSession: "session-1" };
  expect(world.call("attempt progress", scene.worker, write).progressNote).toBe("on");
  answer(world, scene, "mcp-119", "session-1");
});

describe("the worker of a launch", () => {
  const again = { kind: "worker", label: "by hand", capabilityDigest: digestOf("another secret") } as const;

  test("is not enrolled again while its processes run with the capability that they have", () => {
    const world = createLedgerWorld();
    const scene = bound(world);
    const { actor } = scene.worker;
    expect(codeOf(() => world.call("enroll", world.operator, { ...again, actor }))).toBe("wrong_state");
    const beat = { task: scene.task, fence: scene.fence };
    expect(world.call("attempt renew", scene.worker, beat).revision).toBe(1);
  });

  test("is sent nothing after its launch has ended, and again once somebody else fetches for it", () => {
    const world = createLedgerWorld();
    const { launch, worker } = bound(world);
    const send = () => world.call("inbox send", world.operator, { to: [worker.actor], body: "work" });
    send();
    world.call("launch advance", world.launcher, { launch, from: "bound", to: "stopping" });
    world.call("launch advance", world.launcher, { launch, from: "stopping", to: "released" });
    expect(codeOf(send)).toBe("wrong_state");
    const { actor, revision } = world.call("enroll", world.operator, { ...again, actor: worker.actor });
    send();
    const script = { actor, kind: "worker", revision, consumer: "script" } as const;
    expect(world.call("inbox fetch", script, {}).envelope?.body).toBe("work");
  });
});
