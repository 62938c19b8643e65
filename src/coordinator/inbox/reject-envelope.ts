/**
 * rejectEnvelope: the consumer gives a message back, to be delivered again later.
 *
 *   in    message, its lease token, the reason, and a delay or none for the usual wait
 *   out   pending, or dead after the last attempt; a repeat under the same token changes nothing
 *   throws `stale_delivery`
 */
import type { Caller, Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { redeliveryWaitMs } from "./delivery-machine.ts";
import { findMessage } from "./find-message.ts";
import { type DeliveryView, readDelivery } from "./read-deliveries.ts";
import { staleDelivery } from "./stale-delivery.ts";

export interface RejectInput {
  readonly message: string;
  readonly leaseToken: string;
  readonly reason: string;
  readonly delayMs?: number | undefined;
}

// Unlike a lost lease's, the token stays on the row: by it, a repeat is known.
const REJECT = `
  UPDATE delivery
     SET state = CASE WHEN attempt >= @attempts THEN 'dead' ELSE 'pending' END,
         settled_at = CASE WHEN attempt >= @attempts THEN @now END,
         next_attempt_at = @nextAttemptAt, lease_until = NULL, reason = @reason
   WHERE message = @message AND recipient = @recipient AND lease_token = @leaseToken
     AND revision = @revision AND state IN ('leased', 'presented') AND lease_until > @now
  RETURNING state, attempt`;

const WAS_REJECTED = `
  SELECT 1 FROM delivery
   WHERE message = @message AND recipient = @recipient AND lease_token = @leaseToken
     AND state IN ('pending', 'dead')`;

export function rejectEnvelope(tx: Transaction, caller: Caller, input: RejectInput): DeliveryView {
  const { leaseToken, reason } = input;
  const message = findMessage(tx, caller, input.message);
  const key = { message, recipient: caller.actor };
  const { attempt } = readDelivery(tx, key);
  const rejected = tx.get<{ state: string; attempt: number }>(REJECT, {
    ...key,
    leaseToken,
    revision: caller.revision,
    reason,
    attempts: setting(tx, "inbox.attempts"),
    nextAttemptAt: tx.now + (input.delayMs ?? waitMs(tx, attempt)),
    now: tx.now,
  });
  if (rejected !== undefined) {
    tx.emit({
      type: rejected.state === "dead" ? "delivery.dead" : "delivery.rejected",
      entity: message,
      payload: { recipient: caller.actor, attempt: rejected.attempt, reason },
    });
  } else if (tx.get(WAS_REJECTED, { ...key, leaseToken }) === undefined) {
    throw staleDelivery(tx, key);
  }
  return readDelivery(tx, key);
}

function waitMs(tx: Transaction, attempt: number): number {
  return redeliveryWaitMs(attempt, {
    backoffMs: setting(tx, "inbox.backoff"),
    backoffMostMs: setting(tx, "inbox.backoff-most"),
  });
}
