/**
 * grantDeliveryTerm: after a span that the owner did not serve, what is outstanding gets one whole
 * lease from now.
 *
 * Where the clock was set back, an instant of before is ahead of all that comes: a session that
 * seems to have become available after a message was shown would prove its turn's end, and a
 * redelivery would wait for as long as the clock jumped. So no instant stays ahead.
 */
import type { Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";

const LEASES = `
  UPDATE delivery
     SET lease_until = @now + @leaseMs, leased_at = min(leased_at, @now), presented_at = min(presented_at, @now)
   WHERE state IN ('leased', 'presented')`;

const SESSIONS =
  "UPDATE observation SET since = min(since, @now), at = min(at, @now) WHERE at > @now OR since > @now";

const WAITS = `
  UPDATE delivery SET next_attempt_at = max(@now, next_attempt_at - @backMs)
   WHERE settled_at IS NULL AND state = 'pending' AND next_attempt_at > @now`;

/** How many deliveries are outstanding. `servedAt`: when the owner was last known to serve. */
export function grantDeliveryTerm(tx: Transaction, servedAt: number): number {
  const { now } = tx;
  tx.run(SESSIONS, { now });
  if (servedAt > now) tx.run(WAITS, { now, backMs: servedAt - now });
  return tx.run(LEASES, { now, leaseMs: setting(tx, "inbox.lease") });
}
