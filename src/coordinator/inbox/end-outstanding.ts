/**
 * endOutstanding: what time and evidence do to messages that are out with their consumers. It is
 * asked by the sweep for everybody, and by a fetch for its caller, so that no answer depends on
 * when the last sweep was.
 */
import type { Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { endLease } from "./end-lease.ts";

/** Bounds of recipients' ids, both included. */
export interface Recipients {
  readonly first: string;
  readonly last: string;
}

/** Ids are ASCII. */
export const EVERYBODY: Recipients = { first: "", last: "~" };

interface Outstanding {
  readonly message: string;
  readonly recipient: string;
  readonly leaseToken: string;
  readonly reason: string;
}

/**
 * Losses that are proven: the enrollment that took the message is over; its session or its MCP
 * process ended; the turn that saw it ended; or the session sat available and did not show it.
 * A message without a launch was taken by a script or a hook, of which no more is known. A turn that
 * nobody reported as busy has ended all the same, where the session is still said to be available a
 * while after it showed the message.
 *
 * The bound of a statement is written out: SQLite prepares one with a bound LIMIT anew at each run.
 * An instant of before the owner's last absence proves nothing, so the fresh term counts too.
 */
const LOST = `
  SELECT delivery.message, delivery.recipient, delivery.lease_token AS leaseToken, CASE
      WHEN launch.ended_at IS NOT NULL THEN 'its launch ended'
      WHEN enrollment.state <> 'active' THEN 'its enrollment was ' || enrollment.state
      WHEN delivery.launch IS NOT NULL AND readiness.launch IS NULL THEN 'its MCP process or session was replaced'
      WHEN observation.activity = 'ended' THEN 'its session ended'
      WHEN delivery.state = 'presented' THEN 'its turn ended and left it unsettled'
      ELSE 'an available session did not show it' END AS reason
    FROM delivery INDEXED BY delivery_one_outstanding
    JOIN enrollment ON enrollment.actor = delivery.recipient AND enrollment.revision = delivery.revision
    JOIN service ON service.only_row = 1
    LEFT JOIN launch ON launch.id = delivery.launch
    LEFT JOIN readiness ON readiness.launch = delivery.launch AND readiness.voided_at IS NULL
         AND readiness.answered_at IS NOT NULL AND readiness.challenge_digest = delivery.proof
    LEFT JOIN observation ON observation.launch = delivery.launch
   WHERE delivery.state IN ('leased', 'presented') AND delivery.recipient BETWEEN @first AND @last
     AND (enrollment.state <> 'active'
       OR launch.ended_at IS NOT NULL
       OR (delivery.launch IS NOT NULL AND readiness.launch IS NULL)
       OR (observation.activity = 'ended' AND observation.since >= delivery.leased_at)
       OR (observation.activity = 'available' AND delivery.state = 'presented'
           AND (observation.since > delivery.presented_at
             OR observation.at >= delivery.presented_at + @unpresentedMs))
       OR (observation.activity = 'available' AND delivery.state = 'leased'
           AND max(observation.since, delivery.leased_at, coalesce(service.fresh_term_at, 0)) <= @now - @unpresentedMs))
   LIMIT 500`;

const LAPSED = `
  SELECT message, recipient, lease_token AS leaseToken, 'its lease lapsed' AS reason
    FROM delivery INDEXED BY delivery_one_outstanding
   WHERE state IN ('leased', 'presented') AND recipient BETWEEN @first AND @last AND lease_until <= @now
   LIMIT 500`;

/** How many leases it ended; what is proven lost is never called lapsed. */
export function endOutstanding(tx: Transaction, recipients: Recipients): number {
  const bounds = { ...recipients, now: tx.now };
  const lost = tx.all<Outstanding>(LOST, { ...bounds, unpresentedMs: setting(tx, "inbox.unpresented") });
  for (const row of lost) endLease(tx, { ...row, end: "lost" });
  const lapsed = tx.all<Outstanding>(LAPSED, bounds);
  for (const row of lapsed) endLease(tx, { ...row, end: "lapsed" });
  return lost.length + lapsed.length;
}
