/**
 * One random trace of a launch through its machine as data and through SQL: they agree at each
 * step, and nothing but an answered challenge ever binds it (DISPATCH-1).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideLaunch,
  hasDeadline,
  isLaunchEnd,
  LAUNCH_ACCEPTS,
  LAUNCH_STATES,
  type LaunchState,
} from "../../src/coordinator/launches/launch-machine.ts";
import { LEDGER_INVARIANTS } from "../../src/coordinator/ledger/ledger-invariants.ts";
import { sweepLaunchDeadlines } from "../../src/coordinator/sweeps/sweep-launches.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import {
  answer,
  challenge,
  digestOf,
  type LaunchScene,
  reserved,
  stateOf,
} from "../fixtures/ledger-launch.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const READINESS_MS = 60_000;
const BLOCKED_MS = 1_800_000;
const OFFERED = ["awaiting_worker_ready", "startup_blocked", "uncertain", "bound"];

const state = fc.constantFrom(...LAUNCH_STATES);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("next" as const), pick: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("advance" as const), from: state, to: state }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom("provision" as const, "challenge" as const, "answer" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("wait" as const),
      ms: fc.constantFrom(READINESS_MS - 1, 1, BLOCKED_MS),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Model {
  state: LaunchState;
  deadlineAt: number | null;
  challenged: boolean;
  answered: boolean;
  scene: LaunchScene;
}

function enter(model: Model, to: LaunchState, now: number): void {
  model.state = to;
  const termMs = to === "startup_blocked" ? BLOCKED_MS : READINESS_MS;
  model.deadlineAt = hasDeadline(to) ? now + termMs : null;
}

function advance(
  world: LedgerWorld,
  model: Model,
  { from, to }: { from: LaunchState; to: LaunchState },
): void {
  const { launch } = model.scene;
  const code = codeOf(() => world.call("launch advance", world.launcher, { launch, from, to }));
  const isReserved = to === "provisioned" || (to === "bound" && !model.answered);
  if (isReserved) {
    expect(code).toBe("forbidden");
    return;
  }
  const decision = decideLaunch(model, { type: "advance", from, to }, world.clock.now());
  expect(code).toBe(decision.type === "moved" ? null : "wrong_state");
  if (decision.type === "moved") enter(model, decision.to, world.clock.now());
}

function provision(world: LedgerWorld, model: Model): void {
  const { launch } = model.scene;
  const capabilityDigest = digestOf(`capability of ${launch}`);
  const wasReserved = model.state === "reserved";
  const code = codeOf(() => {
    const { actor, revision } = world.call("launch provision", world.launcher, {
      launch,
      label: "w",
      capabilityDigest,
    });
    model.scene = {
      ...model.scene,
      worker: { actor: actor ?? "", revision: revision ?? 0, kind: "worker", consumer: "channel" },
    };
  });
  expect(code).toBe(wasReserved || model.state === "provisioned" ? null : "wrong_state");
  if (wasReserved) enter(model, "provisioned", world.clock.now());
}

function offer(world: LedgerWorld, model: Model): void {
  const code = codeOf(() => challenge(world, model.scene.launch, "mcp-1", "session-1"));
  expect(code).toBe(OFFERED.includes(model.state) ? null : "wrong_state");
  model.challenged ||= code === null;
}

function ready(world: LedgerWorld, model: Model): void {
  const code = codeOf(() => answer(world, model.scene));
  const isOpen = model.challenged && !model.answered;
  const expected = OFFERED.includes(model.state) ? null : "wrong_state";
  expect(code).toBe(isOpen ? expected : model.answered ? null : "forbidden");
  if (!isOpen || code !== null) return;
  model.answered = true;
  if (model.state !== "bound") enter(model, "bound", world.clock.now());
}

function take(world: LedgerWorld, model: Model, taken: Step): void {
  switch (taken.type) {
    case "next": {
      const next = LAUNCH_ACCEPTS[model.state];
      const to = next[taken.pick % Math.max(1, next.length)];
      if (to === "provisioned") provision(world, model);
      else if (to === "bound") {
        offer(world, model);
        ready(world, model);
      } else if (to !== undefined) advance(world, model, { from: model.state, to });
      break;
    }
    case "advance":
      advance(world, model, taken);
      break;
    case "provision":
      provision(world, model);
      break;
    case "challenge":
      offer(world, model);
      break;
    case "answer":
      ready(world, model);
      break;
    case "wait": {
      world.clock.advance(taken.ms);
      world.transact(sweepLaunchDeadlines);
      const decision = decideLaunch(model, { type: "deadline" }, world.clock.now());
      if (decision.type === "moved") enter(model, decision.to, world.clock.now());
    }
  }
}

describe("a random trace of one launch", () => {
  test("leads to the same states and refusals through the machine and through SQL", () => {
    const world = createLedgerWorld();
    const nobody = world.enroll("worker", "channel");
    const seen = new Set<LaunchState>();
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
        const now = world.clock.now();
        const model: Model = {
          state: "reserved",
          deadlineAt: now + READINESS_MS,
          challenged: false,
          answered: false,
          scene: { ...reserved(world), worker: nobody },
        };
        for (const taken of steps) {
          take(world, model, taken);
          const shown = world.call("launch show", world.operator, { launch: model.scene.launch });
          const { deadlineAt } = model;
          expect(shown).toMatchObject({
            state: model.state,
            deadlineAt: deadlineAt === null ? null : new Date(deadlineAt).toISOString(),
          });
          expect(shown.endedAt !== null).toBe(isLaunchEnd(model.state));
          expect(shown.history.at(-1)?.state).toBe(model.state);
          seen.add(model.state);
        }
        expect(LEDGER_INVARIANTS.filter(({ sql }) => world.statements.all(sql).length > 0)).toEqual([]);
        // The next run begins with no deadline of this one.
        world.statements.run("UPDATE launch SET deadline_at = NULL, term_ms = NULL WHERE id = @launch", {
          launch: model.scene.launch,
        });
      }),
      { numRuns: 150 },
    );
    expect([...seen].toSorted()).toEqual([...LAUNCH_STATES].toSorted());
  });
});

describe("the table's own trigger", () => {
  test("refuses each move that the machine does not have, and no other", () => {
    const world = createLedgerWorld();
    const { launch } = reserved(world);
    expect(stateOf(world, launch)).toBe("reserved");
    const moves = LAUNCH_STATES.flatMap((from) =>
      LAUNCH_STATES.filter((to) => to !== from && !isRefused(world, from, to)).map((to) => `${from} ${to}`),
    );
    const listed = LAUNCH_STATES.flatMap((from) =>
      LAUNCH_STATES.filter((to) => LAUNCH_ACCEPTS[from].includes(to)).map((to) => `${from} ${to}`),
    );
    expect(moves).toEqual(listed);
  });
});

/** Puts the row into `from` past the triggers, then moves it to `to` under the machine's; nothing stays. */
function isRefused({ db }: LedgerWorld, from: LaunchState, to: LaunchState): boolean {
  const name = "launch_moves_by_its_machine";
  const sql = String(db.prepare("SELECT sql FROM sqlite_master WHERE name = ?").pluck().get(name));
  const at = (reached: LaunchState) => (isLaunchEnd(reached) ? 1 : null);
  const move = "UPDATE launch SET actor = 'operator', revision = 1, state = ?, ended_at = ?";
  db.exec(`SAVEPOINT raw; DROP TRIGGER ${name}; DROP TRIGGER launch_is_bound_by_readiness`);
  try {
    db.prepare(move).run(from, at(from));
    db.exec(sql);
    db.prepare(move).run(to, at(to));
    return false;
  } catch (error) {
    expect(String(error)).toContain("does not move so");
    return true;
  } finally {
    db.exec("ROLLBACK TO raw; RELEASE raw");
  }
}
