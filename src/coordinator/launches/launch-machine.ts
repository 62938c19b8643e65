/**
 * The life of a launch, as data.
 *
 * A deadline never ends what may run: it makes the launch uncertain, and only proof or an operator
 * leads out of there. What asked nothing of a host holds no runtime, so there a deadline is the end.
 * `bound` is reached by an answered challenge alone (DISPATCH-1).
 */
export const LAUNCH_STATES = [
  "reserved",
  "provisioned",
  "starting",
  "awaiting_worker_ready",
  "startup_blocked",
  "bound",
  "stopping",
  "uncertain",
  "released",
  "failed",
  "abandoned",
] as const;
export type LaunchState = (typeof LAUNCH_STATES)[number];

/** State → the states that it may lead to; those without any are ends. */
export const LAUNCH_ACCEPTS: Readonly<Record<LaunchState, readonly LaunchState[]>> = {
  reserved: ["provisioned", "failed"],
  provisioned: ["starting", "failed"],
  starting: ["awaiting_worker_ready", "stopping", "failed", "uncertain"],
  awaiting_worker_ready: ["bound", "startup_blocked", "stopping", "failed", "uncertain"],
  startup_blocked: ["bound", "stopping", "failed", "uncertain"],
  bound: ["stopping", "uncertain"],
  stopping: ["released", "uncertain"],
  uncertain: ["bound", "stopping", "released", "abandoned"],
  released: [],
  failed: [],
  abandoned: [],
};

/** Where a passed deadline leads; a state that is not listed has none. */
const AFTER_DEADLINE: Partial<Record<LaunchState, LaunchState>> = {
  reserved: "failed",
  provisioned: "failed",
  starting: "uncertain",
  awaiting_worker_ready: "uncertain",
  startup_blocked: "uncertain",
  stopping: "uncertain",
};

export type LaunchEvent =
  /** Compare and set: `from` is what the caller took the state for. */
  | { readonly type: "advance"; readonly from: LaunchState; readonly to: LaunchState }
  | { readonly type: "deadline" };

export interface LaunchFacts {
  readonly state: LaunchState;
  readonly deadlineAt: number | null;
}

export type LaunchDecision =
  | { readonly type: "moved"; readonly to: LaunchState }
  | { readonly type: "kept" }
  | { readonly type: "refused" };

export function decideLaunch(
  { state, deadlineAt }: LaunchFacts,
  event: LaunchEvent,
  now: number,
): LaunchDecision {
  if (event.type === "deadline") {
    const to = AFTER_DEADLINE[state];
    if (to === undefined || deadlineAt === null || deadlineAt > now) return { type: "kept" };
    return { type: "moved", to };
  }
  const isAllowed = event.from === state && LAUNCH_ACCEPTS[state].includes(event.to);
  return isAllowed ? { type: "moved", to: event.to } : { type: "refused" };
}

export function isLaunchEnd(state: LaunchState): boolean {
  return LAUNCH_ACCEPTS[state].length === 0;
}

/** Whether a deadline makes sense in it. */
export function hasDeadline(state: LaunchState): boolean {
  return AFTER_DEADLINE[state] !== undefined;
}
