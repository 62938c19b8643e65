/**
 * claimTask: an enrolled actor takes an open task.
 *
 *   in    task, the caller's enrollment, now
 *   out   the hold with its fence, one above the task's last
 *   throws `task_held` naming holder and fence, `wrong_state` for a task that ended or waits for
 *          others, `scope_paused`, `forbidden` for a launched worker
 *
 * The task's state is compared inside the UPDATE: that statement is the one winner of a race. Only
 * a claim without a launch is taken over after its lease; with one, nothing proves that its worker
 * ended, so its task stays held (DISPATCH-4).
 */
import { CodedError, invariant } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { refusePaused } from "../pause/refuse-paused.ts";
import { findTask } from "../tasks/find-task.ts";
import { readTask } from "../tasks/read-tasks.ts";
import { abandonLapsed } from "./abandon.ts";
import { type Hold, readHold } from "./hold.ts";
import { readHolder } from "./read-attempts.ts";
import { readLiveLaunch } from "./refuse-write.ts";
import { startAttempt } from "./start-attempt.ts";

export interface ClaimInput {
  readonly task: string;
}

// The subqueries name the task's own column: with the bound id in them, SQLite prepares the statement
// anew at each run, which costs four times the statement itself.
const TAKE_TASK = `
  UPDATE task SET state = 'running', last_fence = last_fence + 1, version = version + 1
   WHERE id = @task AND state = 'open'
     AND NOT EXISTS (SELECT 1 FROM task_dependency JOIN task AS other ON other.id = depends_on
                      WHERE task_dependency.task = task.id AND other.state <> 'completed')
     AND NOT EXISTS (SELECT 1 FROM launch
                      WHERE launch.task = task.id AND launch.state NOT IN ('released', 'failed', 'abandoned'))
  RETURNING last_fence AS fence`;

export function claimTask(tx: Transaction, caller: Caller, input: ClaimInput): Hold {
  refusePaused(tx);
  const task = findTask(tx, input.task);
  refuseLaunched(tx, caller, task);
  const taken = take(tx, task) ?? (abandonLapsed(tx, task) ? take(tx, task) : undefined);
  if (taken === undefined) throw whyNotOpen(tx, task);
  const { actor, revision } = caller;
  startAttempt(tx, { task, fence: taken.fence, actor, revision, launch: null });
  return readHold(tx, { task, fence: taken.fence });
}

/** A lapsed holder is looked for only where the task is not simply open, as it is for most claims. */
function take(tx: Transaction, task: string): { readonly fence: number } | undefined {
  return tx.get<{ fence: number }>(TAKE_TASK, { task });
}

/** A launched worker gets its one task by proving that it is ready (DISPATCH-1). */
function refuseLaunched(tx: Transaction, { actor }: Caller, task: string): void {
  const launch = tx.get<{ id: string }>(
    `SELECT id FROM launch WHERE actor = @actor AND state NOT IN ('released', 'failed', 'abandoned')`,
    { actor },
  );
  if (launch === undefined) return;
  throw new CodedError(
    "forbidden",
    `${actor} is the worker of launch ${launch.id}, which brings its own task.`,
    {
      hint: "Answer the launch's challenge; that claims its task.",
      fields: { task, launch: launch.id, changed: false },
    },
  );
}

/** Why nobody can take the task now. */
export function whyNotOpen(tx: Transaction, id: string): CodedError {
  const task = readTask(tx, id);
  const holder = readHolder(tx, id);
  if (holder !== null) {
    const { actor, fence, leaseUntil } = holder;
    return new CodedError("task_held", `Task ${id} is held by ${actor} with fence ${fence}.`, {
      fields: { task: id, holder: actor, fence, leaseUntil, changed: false },
    });
  }
  const launch = readLiveLaunch(tx, id);
  if (task.state === "open" && launch !== null) {
    return new CodedError(
      "task_held",
      `Task ${id} is held by launch ${launch.id}, which is ${launch.state}.`,
      {
        fields: { task: id, launch: launch.id, fence: task.fence, changed: false },
      },
    );
  }
  if (task.state === "open" && task.waitsFor.length > 0) {
    return new CodedError("wrong_state", `Task ${id} waits for ${task.waitsFor.join(", ")}.`, {
      hint: "It can be claimed once they are completed.",
      fields: { task: id, state: task.state, waitsFor: task.waitsFor, changed: false },
    });
  }
  invariant(task.state !== "open", "an open task that waits for nothing and has no launch can be claimed");
  return new CodedError("wrong_state", `Task ${id} is ${task.state}.`, {
    fields: { task: id, state: task.state, changed: false },
  });
}
