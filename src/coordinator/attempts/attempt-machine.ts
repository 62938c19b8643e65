/**
 * The life of an attempt, as data.
 *
 * Time ends none that a launch made: it becomes uncertain and keeps its task, until its holder is
 * heard of again or its launch is settled (DISPATCH-4). A finish with the newest fence counts
 * though it is late, even after the lease was given up, as long as nobody took the task since, and no
 * launch has it.
 */
import type { TaskState } from "../tasks/task-machine.ts";

export const ATTEMPT_STATES = [
  "running",
  "uncertain",
  "completed",
  "failed",
  "cancelled",
  "abandoned",
] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

export type Outcome = "completed" | "failed" | "cancelled";

export type AttemptEvent =
  | { readonly type: "renew" }
  | { readonly type: "progress" }
  | { readonly type: "finish"; readonly outcome: Outcome }
  /** The sweep looks at the lease. */
  | { readonly type: "lapse" }
  /** Its launch ended without it. */
  | { readonly type: "lose" };

export interface AttemptFacts {
  readonly state: AttemptState;
  /** Whether no fence of its task is newer. */
  readonly isNewest: boolean;
  readonly hasLaunch: boolean;
  readonly leaseUntil: number;
  readonly taskState: TaskState;
  /** Whether its task has a launch that has not ended. */
  readonly isTaskLaunched: boolean;
}

/** State → event → the states that it may lead to. */
export const ATTEMPT_ACCEPTS: Readonly<
  Record<AttemptState, Partial<Record<AttemptEvent["type"], readonly AttemptState[]>>>
> = {
  running: {
    renew: ["running"],
    progress: ["running"],
    finish: ["completed", "failed", "cancelled"],
    lapse: ["uncertain", "abandoned"],
    lose: ["abandoned"],
  },
  uncertain: {
    renew: ["running"],
    progress: ["running"],
    finish: ["completed", "failed", "cancelled"],
    lose: ["abandoned"],
  },
  completed: {},
  failed: {},
  cancelled: {},
  abandoned: { finish: ["completed", "failed"] },
};

export type AttemptDecision =
  | { readonly type: "moved"; readonly to: AttemptState }
  /** It finished before; the first outcome stands. */
  | { readonly type: "already" }
  /** Nothing is due yet. */
  | { readonly type: "kept" }
  /** Nobody asked for the end that is reported. */
  | { readonly type: "not_asked" }
  | { readonly type: "stale" };

export function decideAttempt(facts: AttemptFacts, event: AttemptEvent, now: number): AttemptDecision {
  const { state, isNewest, hasLaunch, leaseUntil, taskState, isTaskLaunched } = facts;
  if (event.type === "finish" && isFinished(state)) return { type: "already" };
  const targets = ATTEMPT_ACCEPTS[state][event.type] ?? [];
  if (event.type === "lapse") {
    if (targets.length === 0 || leaseUntil > now) return { type: "kept" };
    return { type: "moved", to: hasLaunch ? "uncertain" : "abandoned" };
  }
  if (!isNewest || targets.length === 0) return { type: "stale" };
  if (event.type !== "finish") return { type: "moved", to: targets[0] ?? state };
  if (state === "abandoned" && (taskState !== "open" || isTaskLaunched)) return { type: "stale" };
  if (event.outcome === "cancelled" && taskState !== "cancel_requested") return { type: "not_asked" };
  return { type: "moved", to: event.outcome };
}

function isFinished(state: AttemptState): boolean {
  return state === "completed" || state === "failed" || state === "cancelled";
}
