/**
 * endLease: a lease on a message ends without its consumer's word.
 *
 *   in    the delivery, the token that it is leased under, and what is known of its end
 *   out   "acknowledged"  its work is on record as processed: nothing is left to do
 *         "pending"       lost: the same message comes again after a wait
 *         "dead"          lost for the last time
 *         "uncertain"     it was shown and nothing is known since: a person says, we don't repeat
 *         "unchanged"     the token is not its lease any more
 *
 * A lease that lapsed proves nothing of a message that was shown; a session that ended does.
 */
import type { Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { redeliveryWaitMs } from "./delivery-machine.ts";

export interface EndLeaseInput {
  readonly message: string;
  readonly recipient: string;
  readonly leaseToken: string;
  /** `lapsed`: nobody renewed it. `lost`: what held it is known to have ended. */
  readonly end: "lapsed" | "lost";
  /** For people: what was seen. */
  readonly reason: string;
}

interface Ended {
  readonly state: "acknowledged" | "pending" | "dead" | "uncertain";
  readonly attempt: number;
}

const END = `
  UPDATE delivery
     SET state = CASE
           WHEN EXISTS (SELECT 1 FROM processed WHERE actor = @recipient AND message = @message) THEN 'acknowledged'
           WHEN state = 'presented' AND @end = 'lapsed' THEN 'uncertain'
           WHEN attempt >= @attempts THEN 'dead'
           ELSE 'pending' END,
         settled_at = CASE
           WHEN EXISTS (SELECT 1 FROM processed WHERE actor = @recipient AND message = @message) THEN @now
           WHEN state = 'presented' AND @end = 'lapsed' THEN NULL
           WHEN attempt >= @attempts THEN @now END,
         lease_until = NULL, reason = @reason
   WHERE message = @message AND recipient = @recipient AND lease_token = @leaseToken
     AND state IN ('leased', 'presented')
  RETURNING state, attempt`;

const WAIT = `
  UPDATE delivery SET next_attempt_at = @nextAttemptAt
   WHERE message = @message AND recipient = @recipient AND state = 'pending'`;

export function endLease(tx: Transaction, input: EndLeaseInput): Ended["state"] | "unchanged" {
  const { message, recipient, reason } = input;
  const ended = tx.get<Ended>(END, { ...input, attempts: setting(tx, "inbox.attempts"), now: tx.now });
  if (ended === undefined) return "unchanged";
  const { state, attempt } = ended;
  if (state === "pending") {
    const wait = redeliveryWaitMs(attempt, {
      backoffMs: setting(tx, "inbox.backoff"),
      backoffMostMs: setting(tx, "inbox.backoff-most"),
    });
    tx.run(WAIT, { message, recipient, nextAttemptAt: tx.now + wait });
  }
  tx.emit({
    type: state === "pending" ? "delivery.lost" : `delivery.${state}`,
    entity: message,
    payload: { recipient, attempt, reason },
  });
  return state;
}
