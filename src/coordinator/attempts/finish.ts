/**
 * finishAttempt: the one way in which work ends by its holder's word.
 *
 *   in    task, the holder's fence, the outcome and its result, now
 *   out   the attempt as it ended; a repeat by the same fence gets the first outcome
 *   throws `stale_fence` naming the holder: stop, nothing was written; `wrong_state` for a
 *          cancellation that nobody asked for; `forbidden`, `not_found`, `readiness_pending`;
 *          `invalid_input` for a launched worker that names no session
 *
 * Attempt, task and alarms move together. The newest fence is accepted however late it comes, from
 * an uncertain attempt, and from one that was given up while nobody took the task since. A launch
 * has the task from its reservation on, though its worker's fence comes with readiness only: a claim
 * that was given up before is stale by then, or that worker would prove itself for an ended task.
 */
import { CodedError, invariant } from "../../kernel/errors.ts";
import { resolveAlarms } from "../alarms/raise-alarm.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { findTask } from "../tasks/find-task.ts";
import type { Outcome } from "./attempt-machine.ts";
import { type Attempt, attemptName, readAttempt } from "./read-attempts.ts";
import { refuseOtherSession } from "./refuse-session.ts";
import { decideWrite, type FencedWrite, staleFence } from "./refuse-write.ts";

export interface FinishInput extends FencedWrite {
  readonly outcome: Outcome;
  /** What came of it; plain data. */
  readonly result?: unknown;
  readonly nativeSession?: string | undefined;
}

// The fence is compared inside the UPDATE, never beforehand: a check and a write in two statements
// is the race that fences exist to close.
const FINISH = `
  UPDATE attempt SET state = @outcome, ended_at = @now, result = @result
   WHERE task = @task AND fence = @fence AND actor = @actor
     AND EXISTS (
       SELECT 1 FROM task
        WHERE id = @task AND last_fence = @fence
          AND (@outcome <> 'cancelled' OR task.state = 'cancel_requested')
          AND ((attempt.state IN ('running', 'uncertain') AND task.state IN ('running', 'cancel_requested'))
            OR (attempt.state = 'abandoned' AND task.state = 'open'
              AND NOT EXISTS (SELECT 1 FROM launch WHERE launch.task = task.id
                                 AND launch.state NOT IN ('released', 'failed', 'abandoned')))))`;

const END_TASK = `
  UPDATE task SET state = @outcome, ended_at = @now, version = version + 1
   WHERE id = @task AND last_fence = @fence AND ended_at IS NULL`;

export function finishAttempt(tx: Transaction, caller: Caller, input: FinishInput): Attempt {
  const { fence, outcome } = input;
  const write = { task: findTask(tx, input.task), fence };
  refuseOtherSession(tx, caller, { ...write, session: input.nativeSession });
  const ended = tx.run(FINISH, {
    ...write,
    outcome,
    actor: caller.actor,
    now: tx.now,
    result: input.result === undefined ? null : JSON.stringify(input.result),
  });
  if (ended === 0) return unchanged(tx, caller, { ...write, outcome });
  const settled = tx.run(END_TASK, { ...write, outcome, now: tx.now });
  invariant(settled === 1, `LEDGER-1: task ${write.task} ends with its attempt`);
  tx.emit({ type: `task.${outcome}`, entity: write.task, payload: { fence, actor: caller.actor } });
  resolveAlarms(tx, {
    subjectKind: "attempt",
    subject: attemptName(write),
    kinds: "all",
    resolution: "end",
  });
  return readAttempt(tx, write);
}

function unchanged(
  tx: Transaction,
  caller: Caller,
  { outcome, ...write }: FencedWrite & { readonly outcome: Outcome },
): Attempt {
  const event = { type: "finish", outcome } as const;
  const { decision, attempt } = decideWrite(tx, { caller, write, event, now: tx.now });
  switch (decision.type) {
    case "already":
      return attempt;
    case "not_asked":
      throw new CodedError("wrong_state", `Nobody asked to cancel task ${write.task}.`, {
        hint: "Finish it as completed or failed.",
        fields: { ...write, changed: false },
      });
    default:
      invariant(decision.type === "stale", "LEDGER-2: a finish that changed nothing is stale");
      throw staleFence(tx, attempt);
  }
}
