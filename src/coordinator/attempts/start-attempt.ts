/**
 * startAttempt: the row of a new attempt, for a task that the caller has just taken (LEDGER-1).
 *
 * Its progress timeout is the requester's own, else the setting's or the declared duration,
 * whichever is longer: a build that was announced to take long is slow, not stalled.
 */
import type { Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";

export interface NewAttempt {
  readonly task: string;
  readonly fence: number;
  readonly actor: string;
  readonly revision: number;
  readonly launch: string | null;
}

const START = `
  INSERT INTO attempt (task, fence, actor, revision, launch, state, started_at, lease_until, renewed_at,
                       progress_at, progress_timeout_ms, progress_due_at)
  VALUES (@task, @fence, @actor, @revision, @launch, 'running', @now, @now + @leaseMs, @now,
          @now, @timeoutMs, @now + @timeoutMs)`;

export function startAttempt(tx: Transaction, attempt: NewAttempt): void {
  const { task, fence, actor, launch } = attempt;
  tx.run(START, {
    ...attempt,
    now: tx.now,
    leaseMs: setting(tx, "task.lease"),
    timeoutMs: progressTimeoutMs(tx, task),
  });
  tx.emit({ type: "task.claimed", entity: task, payload: { fence, actor, launch } });
}

function progressTimeoutMs(tx: Transaction, task: string): number {
  const asked = tx.get<{ timeoutMs: number | null; durationMs: number | null }>(
    `SELECT progress_timeout_ms AS timeoutMs, json_extract(brief, '$.durationMs') AS durationMs
       FROM task WHERE id = @task`,
    { task },
  );
  return asked?.timeoutMs ?? Math.max(setting(tx, "task.progress-timeout"), asked?.durationMs ?? 0);
}
