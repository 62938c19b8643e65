/**
 * claimTask: an enrolled actor takes an open task.
 *
 *   in    task, the caller's enrollment, now
 *   out   the new attempt with its fence, one above the task's last
 *   throws `task_held` naming holder and fence, `wrong_state` for a task that ended or waits for
 *          others, `scope_paused`
 *
 * The task's state is compared inside the UPDATE: that statement is the one winner of a race. Only
 * a claim without a launch is taken over after its lease; with one, nothing proves that its worker
 * ended, so its task stays held (DISPATCH-4).
 */
import { CodedError, invariant } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { refusePaused } from "../pause/refuse-paused.ts";
import { setting } from "../settings/read-settings.ts";
import { readTask } from "../tasks/read-tasks.ts";
import { type Attempt, readAttempt, readHolder } from "./read-attempts.ts";

export interface ClaimInput {
  readonly task: string;
}

const TAKE_TASK = `
  UPDATE task SET state = 'running', last_fence = last_fence + 1, version = version + 1
   WHERE id = @task AND state = 'open'
     AND NOT EXISTS (SELECT 1 FROM task_dependency JOIN task AS other ON other.id = depends_on
                      WHERE task_dependency.task = @task AND other.state <> 'completed')
     AND NOT EXISTS (SELECT 1 FROM launch
                      WHERE launch.task = @task AND launch.state NOT IN ('released', 'failed', 'abandoned'))
  RETURNING last_fence AS fence, progress_timeout_ms AS progressTimeoutMs`;

export function claimTask(tx: Transaction, caller: Caller, { task }: ClaimInput): Attempt {
  refusePaused(tx);
  abandonExpired(tx, task);
  const taken = tx.get<{ fence: number; progressTimeoutMs: number | null }>(TAKE_TASK, { task });
  if (taken === undefined) throw refusal(tx, task);
  const { fence } = taken;
  tx.run(
    `INSERT INTO attempt (task, fence, actor, revision, state, started_at, lease_until, renewed_at,
                          progress_at, progress_timeout_ms)
     VALUES (@task, @fence, @actor, @revision, 'running', @now, @leaseUntil, @now, @now, @progressTimeoutMs)`,
    {
      task,
      fence,
      actor: caller.actor,
      revision: caller.revision,
      now: tx.now,
      leaseUntil: tx.now + setting(tx, "task.lease"),
      progressTimeoutMs: taken.progressTimeoutMs ?? setting(tx, "task.progress-timeout"),
    },
  );
  tx.emit({ type: "task.claimed", entity: task, payload: { fence, actor: caller.actor } });
  return readAttempt(tx, { task, fence });
}

/** A script's claim whose lease has passed makes room for the next. */
function abandonExpired(tx: Transaction, task: string): void {
  const expired = tx.get<{ fence: number }>(
    `UPDATE attempt SET state = 'abandoned', ended_at = @now
      WHERE task = @task AND state = 'running' AND launch IS NULL AND lease_until <= @now
     RETURNING fence`,
    { task, now: tx.now },
  );
  if (expired === undefined) return;
  tx.run(`UPDATE task SET state = 'open', version = version + 1 WHERE id = @task AND state = 'running'`, {
    task,
  });
  tx.emit({ type: "attempt.abandoned", entity: task, payload: { fence: expired.fence } });
}

function refusal(tx: Transaction, id: string): CodedError {
  const task = readTask(tx, id);
  const holder = readHolder(tx, id);
  if (holder !== null) {
    const { actor, fence, leaseUntil } = holder;
    return new CodedError("task_held", `Task ${id} is held by ${actor} with fence ${fence}.`, {
      fields: { task: id, holder: actor, fence, leaseUntil, changed: false },
    });
  }
  if (task.waitsFor.length > 0) {
    return new CodedError("wrong_state", `Task ${id} waits for ${task.waitsFor.join(", ")}.`, {
      fields: { task: id, waitsFor: task.waitsFor, changed: false },
    });
  }
  const launch = tx.get<{ id: string; state: string }>(
    `SELECT id, state FROM launch WHERE task = @id AND state NOT IN ('released', 'failed', 'abandoned')`,
    { id },
  );
  if (launch !== undefined) {
    return new CodedError(
      "task_held",
      `Task ${id} is held by launch ${launch.id}, which is ${launch.state}.`,
      {
        fields: { task: id, launch: launch.id, fence: task.fence, changed: false },
      },
    );
  }
  invariant(task.state !== "open", "an open task that waits for nothing and has no launch can be claimed");
  return new CodedError("wrong_state", `Task ${id} is ${task.state}.`, {
    fields: { task: id, state: task.state, changed: false },
  });
}
