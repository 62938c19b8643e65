/**
 * presentEnvelope: evidence of the harness's own that a message stands before its model. That the
 * message was written to a transport is none.
 *
 *   throws `stale_delivery`
 */
import type { Caller, Transaction } from "../commit/transaction.ts";
import { type DeliveryView, readDelivery } from "./read-deliveries.ts";
import { staleDelivery } from "./stale-delivery.ts";

export interface PresentInput {
  readonly message: string;
  readonly leaseToken: string;
}

const PRESENT = `
  UPDATE delivery SET state = 'presented', presented_at = @now
   WHERE message = @message AND recipient = @recipient AND lease_token = @leaseToken
     AND revision = @revision AND state = 'leased' AND lease_until > @now`;

const WAS_PRESENTED = `
  SELECT 1 FROM delivery
   WHERE message = @message AND recipient = @recipient AND lease_token = @leaseToken
     AND (state = 'acknowledged' OR (state = 'presented' AND lease_until > @now))`;

export function presentEnvelope(tx: Transaction, caller: Caller, input: PresentInput): DeliveryView {
  const key = { message: input.message, recipient: caller.actor };
  const lease = { ...key, leaseToken: input.leaseToken, now: tx.now };
  if (tx.run(PRESENT, { ...lease, revision: caller.revision }) === 1) {
    tx.emit({ type: "delivery.presented", entity: key.message, payload: { recipient: key.recipient } });
  } else if (tx.get(WAS_PRESENTED, lease) === undefined) {
    throw staleDelivery(tx, key);
  }
  return readDelivery(tx, key);
}
