/**
 * renewAttempt: a holder is alive. Moves the lease, never a progress deadline (LEDGER-6).
 *
 *   in    task, fence, the holder's enrollment, now
 *   out   the hold, with its new lease; an uncertain attempt is running again
 *   throws `stale_fence` naming the holder, `forbidden`, `not_found`
 *
 * A lease that has passed is renewed all the same while nobody took the task: a fence decides, not time.
 */
import { invariant } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { findTask } from "../tasks/find-task.ts";
import { type Hold, readHold } from "./hold.ts";
import { decideWrite, type FencedWrite, staleFence } from "./refuse-write.ts";
import { isUncertain, tellResumed } from "./resumed.ts";

const RENEW = `
  UPDATE attempt SET state = 'running', lease_until = @now + @leaseMs, renewed_at = @now
   WHERE task = @task AND fence = @fence AND actor = @actor AND state IN ('running', 'uncertain')
     AND fence = (SELECT last_fence FROM task WHERE id = @task)`;

export function renewAttempt(tx: Transaction, caller: Caller, input: FencedWrite): Hold {
  const write = { task: findTask(tx, input.task), fence: input.fence };
  const wasUncertain = isUncertain(tx, write);
  const renewed = tx.run(RENEW, {
    ...write,
    actor: caller.actor,
    now: tx.now,
    leaseMs: setting(tx, "task.lease"),
  });
  if (renewed === 1) {
    if (wasUncertain) tellResumed(tx, write);
    return readHold(tx, write);
  }
  const { decision, attempt } = decideWrite(tx, { caller, write, event: { type: "renew" }, now: tx.now });
  invariant(decision.type === "stale", "LEDGER-2: a renewal that changed nothing is stale");
  throw staleFence(tx, attempt);
}
