/**
 * The life of a task, as data.
 *
 * A task that runs is not cancelled but asked to be: its holder ends it, or the proof that the
 * holder is gone. An open task can end by a finish, since the newest attempt may finish late.
 */
export const TASK_STATES = [
  "open",
  "running",
  "cancel_requested",
  "completed",
  "failed",
  "cancelled",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

export type TaskEvent =
  | { readonly type: "claim" }
  | { readonly type: "cancel" }
  | { readonly type: "finish"; readonly outcome: "completed" | "failed" | "cancelled" }
  /** The attempt that held it is abandoned. */
  | { readonly type: "free" }
  | { readonly type: "retry" };

/** State → event → the states that it may lead to. */
export const TASK_ACCEPTS: Readonly<
  Record<TaskState, Partial<Record<TaskEvent["type"], readonly TaskState[]>>>
> = {
  open: { claim: ["running"], cancel: ["cancelled"], finish: ["completed", "failed"] },
  running: { cancel: ["cancel_requested"], finish: ["completed", "failed"], free: ["open"] },
  cancel_requested: { finish: ["completed", "failed", "cancelled"], free: ["cancelled"] },
  completed: {},
  failed: { retry: ["open"] },
  cancelled: { retry: ["open"] },
};

export type TaskDecision =
  | { readonly type: "moved"; readonly to: TaskState }
  /** The state is the one that was asked for; nothing is written. */
  | { readonly type: "already" }
  | { readonly type: "refused" };

export function decideTask(state: TaskState, event: TaskEvent): TaskDecision {
  if (event.type === "cancel" && (state === "cancel_requested" || state === "cancelled")) {
    return { type: "already" };
  }
  const targets = TASK_ACCEPTS[state][event.type] ?? [];
  const to = event.type === "finish" ? targets.find((target) => target === event.outcome) : targets[0];
  return to === undefined ? { type: "refused" } : { type: "moved", to };
}
