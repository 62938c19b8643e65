/**
 * sweepDeliveries: what time and evidence do to deliveries that nobody speaks for.
 *
 * It looks at what is outstanding, at most one for each recipient, and at what has an expiry, never
 * at settled rows. What one sweep leaves over, the next one takes.
 */
import type { Transaction } from "../commit/transaction.ts";
import { EVERYBODY, endOutstanding } from "./end-outstanding.ts";

const EXPIRE = `
  UPDATE delivery SET state = 'expired', settled_at = @now, reason = 'nobody took it in time'
   WHERE position IN (SELECT position FROM delivery INDEXED BY delivery_by_expiry
                       WHERE settled_at IS NULL AND expires_at <= @now AND state = 'pending' LIMIT 500)
     AND state = 'pending'
  RETURNING message, recipient`;

/** How many deliveries it moved. */
export function sweepDeliveries(tx: Transaction): number {
  const ended = endOutstanding(tx, EVERYBODY);
  const expired = tx.all<{ message: string; recipient: string }>(EXPIRE, { now: tx.now });
  for (const { message, recipient } of expired) {
    tx.emit({ type: "delivery.expired", entity: message, payload: { recipient } });
  }
  return ended + expired.length;
}
