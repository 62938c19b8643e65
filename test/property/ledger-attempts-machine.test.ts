/**
 * One random trace of claims, renewals, finishes, cancellations, lapses and launches through the
 * machines as data and through SQL: state by state and refusal by refusal they agree.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ATTEMPT_ACCEPTS,
  ATTEMPT_STATES,
  type AttemptEvent,
  type AttemptState,
  decideAttempt,
  type Outcome,
} from "../../src/coordinator/attempts/attempt-machine.ts";
import type { Caller } from "../../src/coordinator/commit/transaction.ts";
import { LEDGER_INVARIANTS } from "../../src/coordinator/ledger/ledger-invariants.ts";
import { sweepLeases } from "../../src/coordinator/sweeps/sweep-leases.ts";
import {
  decideTask,
  TASK_ACCEPTS,
  TASK_STATES,
  type TaskEvent,
  type TaskState,
} from "../../src/coordinator/tasks/task-machine.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { addTask, bound, stateOf } from "../fixtures/ledger-launch.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const LEASE_MS = 60_000;
const ACTORS = 2;

const outcome = fc.constantFrom<Outcome>("completed", "failed", "cancelled");
/** Which fence is written with: how many below the newest. */
const age = fc.constantFrom(0, 0, 0, 1, 2);
const actor = fc.nat(ACTORS - 1);

const step = fc.oneof(
  fc.record({ type: fc.constant("claim" as const), actor }),
  fc.record({ type: fc.constant("renew" as const), actor, age }),
  fc.record({ type: fc.constant("progress" as const), actor, age }),
  fc.record({ type: fc.constant("finish" as const), actor, age, outcome }),
  fc.record({ type: fc.constantFrom("cancel" as const, "retry" as const) }),
  fc.record({ type: fc.constantFrom("launch" as const, "sweep" as const) }),
  fc.record({
    type: fc.constant("end" as const),
    to: fc.constantFrom("released" as const, "abandoned" as const),
  }),
  fc.record({
    type: fc.constant("wait" as const),
    ms: fc.constantFrom(1, LEASE_MS - 1, LEASE_MS, 10 * LEASE_MS),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface ModelAttempt {
  state: AttemptState;
  leaseUntil: number;
  readonly actor: string;
  readonly hasLaunch: boolean;
}

/** The ledger of one task, by the machines alone. */
class Model {
  task: TaskState = "open";
  fence = 0;
  launched: { readonly fence: number } | null = null;
  readonly attempts = new Map<number, ModelAttempt>();

  decideTask(event: TaskEvent): string | null {
    const decision = decideTask(this.task, event);
    if (decision.type === "moved") this.task = decision.to;
    return decision.type === "refused" ? "wrong_state" : null;
  }

  start(holder: { readonly actor: string; readonly hasLaunch: boolean }, now: number): void {
    this.fence += 1;
    this.attempts.set(this.fence, { state: "running", leaseUntil: now + LEASE_MS, ...holder });
    this.decideTask({ type: "claim" });
    if (holder.hasLaunch) this.launched = { fence: this.fence };
  }

  claim(name: string, now: number): string | null {
    if (this.launched !== null) return this.isHeld() || this.task === "open" ? "task_held" : "wrong_state";
    const before = this.snapshot();
    this.lapse(now);
    if (this.task === "open") {
      this.start({ actor: name, hasLaunch: false }, now);
      return null;
    }
    const code = this.isHeld() ? "task_held" : "wrong_state";
    this.restore(before);
    return code;
  }

  write(name: string, fence: number, event: AttemptEvent, now: number): string | null {
    const attempt = this.attempts.get(fence);
    if (attempt === undefined) return "not_found";
    if (attempt.actor !== name) return "forbidden";
    const facts = {
      ...attempt,
      isNewest: fence === this.fence,
      taskState: this.task,
      isTaskLaunched: this.launched !== null,
    };
    const decision = decideAttempt(facts, event, now);
    if (decision.type === "already") return null;
    if (decision.type === "not_asked") return "wrong_state";
    if (decision.type !== "moved") return "stale_fence";
    attempt.state = decision.to;
    if (event.type === "finish") this.decideTask({ type: "finish", outcome: event.outcome });
    else attempt.leaseUntil = now + LEASE_MS;
    return null;
  }

  lapse(now: number): void {
    for (const attempt of this.attempts.values()) {
      const facts = {
        ...attempt,
        isNewest: true,
        taskState: this.task,
        isTaskLaunched: this.launched !== null,
      };
      const decision = decideAttempt(facts, { type: "lapse" }, now);
      if (decision.type !== "moved") continue;
      attempt.state = decision.to;
      if (decision.to === "abandoned") this.decideTask({ type: "free" });
    }
  }

  end(to: "released" | "abandoned"): void {
    const attempt = this.attempts.get(this.launched?.fence ?? 0);
    if (attempt === undefined) return;
    const facts = {
      ...attempt,
      isNewest: true,
      taskState: this.task,
      isTaskLaunched: this.launched !== null,
    };
    const decision = decideAttempt(facts, { type: "lose" }, 0);
    if (decision.type === "moved") {
      attempt.state = decision.to;
      this.decideTask({ type: "free" });
    }
    if (to === "abandoned") this.fence += 1;
    this.launched = null;
  }

  isHeld(): boolean {
    return [...this.attempts.values()].some(({ state }) => state === "running" || state === "uncertain");
  }

  view() {
    return {
      task: this.task,
      fence: this.fence,
      attempts: [...this.attempts].map(([fence, { state }]) => ({ fence, state })),
    };
  }

  private snapshot() {
    return {
      task: this.task,
      attempts: [...this.attempts].map(([fence, attempt]) => [fence, { ...attempt }] as const),
    };
  }

  private restore({ task, attempts }: ReturnType<Model["snapshot"]>): void {
    this.task = task;
    for (const [fence, attempt] of attempts) this.attempts.set(fence, attempt);
  }
}

function view(world: LedgerWorld, task: string) {
  const shown = world.call("task show", world.operator, { task });
  return {
    task: shown.state,
    fence: shown.fence,
    attempts: shown.attempts.map(({ fence, state }) => ({ fence, state })).toReversed(),
  };
}

/** The fence written with, and who writes: the holder of that fence for every other actor number. */
function writer(
  model: Model,
  actors: readonly Caller[],
  { actor: index, age: back }: { actor: number; age: number },
) {
  const fence = Math.max(1, model.fence - back);
  const holder = actors.find((candidate) => candidate.actor === model.attempts.get(fence)?.actor);
  return { fence, caller: (index === 0 ? holder : undefined) ?? (actors[index] as Caller) };
}

function take(world: LedgerWorld, trace: Trace, taken: Step): void {
  const { model, actors, task } = trace;
  const now = world.clock.now();
  switch (taken.type) {
    case "wait":
      world.clock.advance(taken.ms);
      break;
    case "sweep":
      world.transact(sweepLeases);
      model.lapse(now);
      break;
    case "cancel":
    case "retry": {
      const expected = model.decideTask(taken);
      expect(codeOf(() => world.call(`task ${taken.type}`, world.operator, { task }))).toBe(expected);
      break;
    }
    case "claim": {
      const caller = actors[taken.actor] as Caller;
      const expected = model.claim(caller.actor, now);
      expect(codeOf(() => world.call("attempt claim", caller, { task }))).toBe(expected);
      break;
    }
    case "launch": {
      if (model.task !== "open" || model.launched !== null) break;
      const { worker } = bound(world, task);
      actors.push(worker);
      model.start({ actor: worker.actor, hasLaunch: true }, now);
      break;
    }
    case "end": {
      if (model.launched === null) break;
      endLaunch(world, task, taken.to);
      model.end(taken.to);
      break;
    }
    default:
      write(world, trace, taken);
  }
}

function write(
  world: LedgerWorld,
  { model, actors, task }: Trace,
  taken: Extract<Step, { readonly age: number }>,
): void {
  const { fence, caller } = writer(model, actors, taken);
  const expected = model.write(caller.actor, fence, taken, world.clock.now());
  const nativeSession = "session-1";
  const code = codeOf(() => {
    if (taken.type === "renew") world.call("attempt renew", caller, { task, fence });
    else if (taken.type === "progress")
      world.call("attempt progress", caller, { task, fence, note: "on", nativeSession });
    else world.call("attempt finish", caller, { task, fence, outcome: taken.outcome, nativeSession });
  });
  expect(code).toBe(expected);
}

interface Trace {
  readonly model: Model;
  readonly actors: Caller[];
  readonly task: string;
}

function endLaunch(world: LedgerWorld, task: string, to: "released" | "abandoned"): void {
  const live = world.call("launch ls", world.operator, { task, states: ["bound"] }).launches;
  const launch = live[0]?.launch ?? "";
  for (const next of [to === "released" ? "stopping" : "uncertain", to] as const) {
    world.call("launch advance", world.launcher, { launch, from: stateOf(world, launch), to: next });
  }
}

const breaches = ({ statements }: LedgerWorld) =>
  LEDGER_INVARIANTS.filter(({ sql }) => statements.all(sql).length > 0).map(({ claim }) => claim);

describe("a random trace of one task", () => {
  test("leads to the same states and refusals through the machines and through SQL", () => {
    const world = createLedgerWorld();
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const actors = Array.from({ length: ACTORS }, () => world.enroll("worker"));
        const trace: Trace = { model: new Model(), actors, task: addTask(world) };
        for (const taken of steps) {
          take(world, trace, taken);
          expect(view(world, trace.task)).toEqual(trace.model.view());
          for (const { state } of trace.model.attempts.values()) seen.add(state);
          seen.add(trace.model.task);
        }
      }),
      { numRuns: 300 },
    );
    expect(breaches(world)).toEqual([]);
    expect([...seen].toSorted()).toEqual([...new Set([...TASK_STATES, ...ATTEMPT_STATES])].toSorted());
  });
});

describe("the tables' own triggers", () => {
  test("refuse each move of a task or an attempt that the machines do not have, and no other", () => {
    const world = createLedgerWorld();
    const worker = world.enroll("worker");
    const task = addTask(world);
    world.call("attempt claim", worker, { task });
    const moves = (table: "task" | "attempt", states: readonly string[], ended: readonly string[]) =>
      states.flatMap((from) =>
        states
          .filter((to) => to !== from && isRefused(world, { table, from, to, ended }) === false)
          .map((to) => `${from} ${to}`),
      );
    const settled = ["completed", "failed", "cancelled"];
    expect(moves("task", TASK_STATES, settled)).toEqual(listed(TASK_ACCEPTS));
    expect(moves("attempt", ATTEMPT_STATES, [...settled, "abandoned"])).toEqual(listed(ATTEMPT_ACCEPTS));
  });

  test("refuse a write to an attempt whose fence is not the newest, whoever writes (LEDGER-2)", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    world.call("attempt claim", world.enroll("worker"), { task });
    world.statements.run("UPDATE task SET last_fence = 2");
    expect(() => world.statements.run("UPDATE attempt SET state = 'running'")).toThrow("LEDGER-2");
    expect(() => world.statements.run("UPDATE task SET last_fence = 1")).toThrow("LEDGER-1");
  });
});

function listed(accepts: Readonly<Record<string, Partial<Record<string, readonly string[]>>>>): string[] {
  return Object.entries(accepts).flatMap(([from, events]) => {
    const targets = new Set(Object.values(events).flatMap((states) => states ?? []));
    return Object.keys(accepts)
      .filter((to) => to !== from && targets.has(to))
      .map((to) => `${from} ${to}`);
  });
}

interface RawMove {
  readonly table: "task" | "attempt";
  readonly from: string;
  readonly to: string;
  readonly ended: readonly string[];
}

/** Puts a row into `from` past the triggers, then moves it to `to` under them; nothing stays. */
function isRefused({ db }: LedgerWorld, { table, from, to, ended }: RawMove): boolean {
  const trigger = db.prepare("SELECT sql FROM sqlite_master WHERE name = ?").pluck();
  const name = `${table}_moves_by_its_machine`;
  const sql = String(trigger.get(name));
  const at = (state: string) => (ended.includes(state) ? 1 : null);
  db.exec(`SAVEPOINT raw; DROP TRIGGER ${name}`);
  try {
    const move = db.prepare(`UPDATE ${table} SET state = ?, ended_at = ?`);
    move.run(from, at(from));
    db.exec(sql);
    db.prepare(`UPDATE ${table} SET state = ?, ended_at = ?`).run(to, at(to));
    return false;
  } catch (error) {
    expect(String(error)).toContain("does not move so");
    return true;
  } finally {
    db.exec("ROLLBACK TO raw; RELEASE raw");
  }
}
