/**
 * sweepProgress: raises `stale_progress` for attempts that showed none in their time, whatever is
 * renewed (LEDGER-6). It moves no task and no lease: slow is not stopped.
 *
 * An alarm that is open is looked at once a minute, not at every sweep: each look is a write.
 */
import { raiseAlarm } from "../alarms/raise-alarm.ts";
import { attemptName } from "../attempts/read-attempts.ts";
import type { Transaction } from "../commit/transaction.ts";
import { afterAbsence } from "./after-absence.ts";

export const SEEN_AGAIN_MS = 60_000;

interface Stale {
  readonly task: string;
  readonly fence: number;
  readonly actor: string;
  readonly createdBy: string;
  readonly timeoutMs: number;
  readonly progressAt: number;
  readonly renewedAt: number;
}

const STALE = `
  SELECT attempt.task, attempt.fence, attempt.actor, task.created_by AS createdBy,
         attempt.progress_timeout_ms AS timeoutMs, attempt.progress_at AS progressAt,
         attempt.renewed_at AS renewedAt
    FROM attempt INDEXED BY attempt_by_progress JOIN task ON task.id = attempt.task
   WHERE attempt.ended_at IS NULL AND attempt.progress_due_at <= @now
     AND NOT EXISTS (SELECT 1 FROM alarm
                      WHERE subject_kind = 'attempt' AND subject = attempt.task || ':' || attempt.fence
                        AND kind = 'stale_progress' AND resolved_at IS NULL AND last_seen_at > @now - @seenAgainMs)
   LIMIT 500`;

/** How many alarms it raised or saw again. */
export function sweepProgress(tx: Transaction): number {
  const stale = tx.all<Stale>(STALE, { now: tx.now, seenAgainMs: SEEN_AGAIN_MS });
  for (const { task, fence, actor, createdBy, timeoutMs, progressAt, renewedAt } of stale) {
    const since = new Date(progressAt).toISOString();
    raiseAlarm(tx, {
      subjectKind: "attempt",
      subject: attemptName({ task, fence }),
      kind: "stale_progress",
      detail: `${actor} has shown no progress on task ${task} since ${since}; expected every ${timeoutMs} ms${afterAbsence(tx)}.`,
      requester: createdBy,
      lastProgressAt: progressAt,
      lastRenewalAt: renewedAt,
    });
  }
  return stale.length;
}
