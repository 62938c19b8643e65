/**
 * ackEnvelope: the consumer's word that a message was processed.
 *
 *   in    message, its lease token, what came of it
 *   out   acknowledged; a repeat under the same token gets the first result again
 *   throws `stale_delivery`: the lease is over or was never the caller's, and nothing was written
 *
 * LEDGER-3. The receipt goes first: an acknowledged message without one cannot exist. Where a
 * receipt is there already, its result stands.
 */
import type { Caller, Transaction } from "../commit/transaction.ts";
import { findMessage } from "./find-message.ts";
import { putReceipt, readReceipt } from "./receipts.ts";
import { staleDelivery } from "./stale-delivery.ts";

export interface AckInput {
  readonly message: string;
  readonly leaseToken: string;
  /** JSON; what came of it. */
  readonly result: unknown;
}

export interface Acknowledged {
  readonly message: string;
  readonly state: "acknowledged";
  readonly result: unknown;
}

export function ackEnvelope(tx: Transaction, caller: Caller, input: AckInput): Acknowledged {
  const { leaseToken } = input;
  const message = findMessage(tx, caller, input.message);
  const key = { message, recipient: caller.actor };
  putReceipt(tx, { ...key, result: input.result });
  const acknowledged = acknowledge(tx, { ...key, leaseToken, revision: caller.revision });
  if (!acknowledged && !wasAcknowledged(tx, { ...key, leaseToken })) throw staleDelivery(tx, key);
  return { message, state: "acknowledged", result: readReceipt(tx, key) };
}

interface Lease {
  readonly message: string;
  readonly recipient: string;
  readonly leaseToken: string;
}

// Being shown and being settled are two stages; where nothing told of the first, this does.
const ACKNOWLEDGE = `
  UPDATE delivery
     SET state = 'acknowledged', settled_at = @now, lease_until = NULL, reason = NULL,
         presented_at = coalesce(presented_at, @now)
   WHERE message = @message AND recipient = @recipient AND lease_token = @leaseToken
     AND revision = @revision AND state IN ('leased', 'presented') AND lease_until > @now`;

/** Whether the lease was current, and the message is acknowledged by it; its receipt must be there. */
export function acknowledge(tx: Transaction, lease: Lease & { readonly revision: number }): boolean {
  if (tx.run(ACKNOWLEDGE, { ...lease, now: tx.now }) === 0) return false;
  const { message, recipient } = lease;
  tx.emit({ type: "delivery.acknowledged", entity: message, payload: { recipient } });
  return true;
}

function wasAcknowledged(tx: Transaction, lease: Lease): boolean {
  const row = tx.get(
    `SELECT 1 FROM delivery WHERE message = @message AND recipient = @recipient
        AND lease_token = @leaseToken AND state = 'acknowledged'`,
    { ...lease },
  );
  return row !== undefined;
}
