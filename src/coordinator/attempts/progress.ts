/**
 * reportProgress: the work went on. The only thing that moves a progress deadline (LEDGER-6); it
 * resolves a `stale_progress` alarm, and shows that the holder is alive.
 *
 *   in    task, fence, a note, the holder's enrollment, now
 *   out   the hold
 *   throws `stale_fence` naming the holder, `forbidden`, `not_found`, `readiness_pending`;
 *          `invalid_input` for a launched worker that names no session
 */
import { invariant } from "../../kernel/errors.ts";
import { resolveAlarms } from "../alarms/raise-alarm.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { findTask } from "../tasks/find-task.ts";
import { type Hold, readHold } from "./hold.ts";
import { attemptName } from "./read-attempts.ts";
import { refuseOtherSession } from "./refuse-session.ts";
import { decideWrite, type FencedWrite, staleFence } from "./refuse-write.ts";
import { isUncertain, tellResumed } from "./resumed.ts";

export interface ProgressInput extends FencedWrite {
  /** What was done since the last one. */
  readonly note: string;
  /** The harness's session that reports, where there is one. */
  readonly nativeSession?: string | undefined;
}

const PROGRESS = `
  UPDATE attempt
     SET state = 'running', progress_at = @now, progress_note = @note,
         progress_due_at = @now + progress_timeout_ms,
         lease_until = max(lease_until, @now + @leaseMs), renewed_at = @now
   WHERE task = @task AND fence = @fence AND actor = @actor AND state IN ('running', 'uncertain')
     AND fence = (SELECT last_fence FROM task WHERE id = @task)`;

export function reportProgress(tx: Transaction, caller: Caller, input: ProgressInput): Hold {
  const write = { task: findTask(tx, input.task), fence: input.fence };
  refuseOtherSession(tx, caller, { ...write, session: input.nativeSession });
  const wasUncertain = isUncertain(tx, write);
  const moved = tx.run(PROGRESS, {
    ...write,
    note: input.note,
    actor: caller.actor,
    now: tx.now,
    leaseMs: setting(tx, "task.lease"),
  });
  if (moved === 0) {
    const { decision, attempt } = decideWrite(tx, {
      caller,
      write,
      event: { type: "progress" },
      now: tx.now,
    });
    invariant(decision.type === "stale", "LEDGER-2: progress that changed nothing is stale");
    throw staleFence(tx, attempt);
  }
  if (wasUncertain) tellResumed(tx, write);
  const { fence } = write;
  tx.emit({ type: "attempt.progressed", entity: write.task, payload: { fence, note: input.note } });
  resolveAlarms(tx, {
    subjectKind: "attempt",
    subject: attemptName(write),
    kinds: ["stale_progress"],
    resolution: "progress",
  });
  return readHold(tx, write);
}
