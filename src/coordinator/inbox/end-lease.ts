/**
 * endLease: a lease on a message ends without its consumer's word.
 *
 *   in    the delivery, the token that it is leased under, and what is known of its end
 *   out   "pending"    lost: the same message comes again after a wait; or its work is on record
 *                      as processed, and it comes again at once to be acknowledged
 *         "dead"       lost for the last time
 *         "uncertain"  it was shown and nothing is known since: a person says, we don't repeat
 *         "unchanged"  the token is not its lease any more
 *
 * A lease that lapsed proves nothing of a message that was shown; a session that ended does.
 */
import type { Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";

export interface EndLeaseInput {
  readonly message: string;
  readonly recipient: string;
  readonly leaseToken: string;
  /** `lapsed`: nobody renewed it. `lost`: what held it is known to have ended. */
  readonly end: "lapsed" | "lost";
  /** For people: what was seen. */
  readonly reason: string;
}

type EndedState = "pending" | "dead" | "uncertain";

// The token leaves the row with the lease, so that nothing said under it counts any more.
const END = `
  UPDATE delivery
     SET state = CASE
           WHEN receipt.stands THEN 'pending'
           WHEN state = 'presented' AND @end = 'lapsed' THEN 'uncertain'
           WHEN attempt >= @attempts THEN 'dead'
           ELSE 'pending' END,
         settled_at = CASE
           WHEN receipt.stands OR (state = 'presented' AND @end = 'lapsed') OR attempt < @attempts THEN NULL
           ELSE @now END,
         next_attempt_at = CASE
           WHEN receipt.stands THEN @now
           ELSE @now + min(@backoffMostMs, @backoffMs * (1 << min(attempt - 1, 30))) END,
         lease_token = NULL, lease_until = NULL, reason = @reason
    FROM (SELECT EXISTS (SELECT 1 FROM processed WHERE actor = @recipient AND message = @message) AS stands)
         AS receipt
   WHERE message = @message AND recipient = @recipient AND lease_token = @leaseToken
     AND state IN ('leased', 'presented') AND (@end = 'lost' OR lease_until <= @now)
  RETURNING state, attempt`;

export function endLease(tx: Transaction, input: EndLeaseInput): EndedState | "unchanged" {
  const { message, recipient, reason } = input;
  const ended = tx.get<{ state: EndedState; attempt: number }>(END, {
    ...input,
    attempts: setting(tx, "inbox.attempts"),
    backoffMs: setting(tx, "inbox.backoff"),
    backoffMostMs: setting(tx, "inbox.backoff-most"),
    now: tx.now,
  });
  if (ended === undefined) return "unchanged";
  const { state, attempt } = ended;
  tx.emit({
    type: state === "pending" ? "delivery.lost" : `delivery.${state}`,
    entity: message,
    payload: { recipient, attempt, reason },
  });
  return state;
}
