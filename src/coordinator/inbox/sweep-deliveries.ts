/**
 * sweepDeliveries: what time and evidence do to deliveries that nobody speaks for.
 *
 * Looks at what is outstanding (at most one for each recipient) and at what has an expiry, never
 * at settled rows. What a sweep leaves over, the next one takes.
 */
import type { Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { endLease } from "./end-lease.ts";

const MOST_IN_SWEEP = 500;

interface Outstanding {
  readonly message: string;
  readonly recipient: string;
  readonly leaseToken: string;
  readonly reason: string;
}

/**
 * Losses that are proven: the enrollment that took the message is over; its session or its MCP
 * process ended; the turn that saw it ended; or the session sat available and did not show it.
 * A message without a launch was taken by a script or a hook, of which no more is known.
 *
 * An instant of before the owner's last absence proves nothing, so the fresh term counts too.
 */
const LOST = `
  SELECT delivery.message, delivery.recipient, delivery.lease_token AS leaseToken, CASE
      WHEN enrollment.state <> 'active' THEN 'its enrollment was ' || enrollment.state
      WHEN launch.ended_at IS NOT NULL THEN 'its launch ended'
      WHEN readiness.launch IS NULL AND delivery.launch IS NOT NULL THEN 'its MCP process or session was replaced'
      WHEN observation.activity = 'ended' THEN 'its session ended'
      WHEN delivery.state = 'presented' THEN 'its turn ended and left it unsettled'
      ELSE 'an available session did not show it' END AS reason
    FROM delivery INDEXED BY delivery_one_outstanding
    JOIN enrollment ON enrollment.actor = delivery.recipient AND enrollment.revision = delivery.revision
    JOIN service
    LEFT JOIN launch ON launch.id = delivery.launch
    LEFT JOIN readiness ON readiness.launch = delivery.launch AND readiness.voided_at IS NULL
         AND readiness.answered_at <= delivery.leased_at
    LEFT JOIN observation ON observation.launch = delivery.launch
   WHERE delivery.state IN ('leased', 'presented')
     AND (enrollment.state <> 'active'
       OR launch.ended_at IS NOT NULL
       OR (delivery.launch IS NOT NULL AND readiness.launch IS NULL)
       OR (observation.activity = 'ended' AND observation.at >= delivery.leased_at)
       OR (observation.activity = 'available' AND observation.at > delivery.presented_at)
       OR (observation.activity = 'available' AND delivery.state = 'leased'
           AND max(observation.at, delivery.leased_at, coalesce(service.fresh_term_at, 0)) <= @now - @unpresentedMs))
   LIMIT @limit`;

const LAPSED = `
  SELECT message, recipient, lease_token AS leaseToken, 'its lease lapsed' AS reason
    FROM delivery INDEXED BY delivery_one_outstanding
   WHERE state IN ('leased', 'presented') AND lease_until <= @now
   LIMIT @limit`;

const EXPIRE = `
  UPDATE delivery SET state = 'expired', settled_at = @now, reason = 'it expired'
   WHERE position IN (SELECT position FROM delivery INDEXED BY delivery_by_expiry
                       WHERE settled_at IS NULL AND expires_at <= @now AND state = 'pending' LIMIT @limit)
     AND state = 'pending'
  RETURNING message, recipient`;

/** How many deliveries it moved. */
export function sweepDeliveries(tx: Transaction): number {
  const limit = MOST_IN_SWEEP;
  const { now } = tx;
  let moved = 0;
  const lost = tx.all<Outstanding>(LOST, { now, unpresentedMs: setting(tx, "inbox.unpresented"), limit });
  for (const row of lost) moved += endLease(tx, { ...row, end: "lost" }) === "unchanged" ? 0 : 1;
  const lapsed = tx.all<Outstanding>(LAPSED, { now, limit });
  for (const row of lapsed) moved += endLease(tx, { ...row, end: "lapsed" }) === "unchanged" ? 0 : 1;
  const expired = tx.all<{ message: string; recipient: string }>(EXPIRE, { now, limit });
  for (const { message, recipient } of expired) {
    tx.emit({ type: "delivery.expired", entity: message, payload: { recipient } });
  }
  return moved + expired.length;
}
