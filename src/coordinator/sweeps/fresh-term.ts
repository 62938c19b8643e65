/**
 * grantFreshTerm: the owner was away, the host slept or its clock jumped, so nobody could be heard.
 * Every running lease, outstanding delivery, progress deadline and launch deadline gets one whole
 * term from now, before any sweep looks at them: nothing expires for what nobody could do.
 *
 * An instant ahead, left by a clock that was set back, becomes a term from now as well. When progress
 * was seen does not move, only the deadline after it (LEDGER-6).
 */
import type { Transaction } from "../commit/transaction.ts";
import { grantDeliveryTerm } from "../inbox/grant-delivery-term.ts";
import { setting } from "../settings/read-settings.ts";

export type AbsenceCause = "owner_start" | "host_suspended" | "clock_jump" | "owner_stalled";

export interface FreshTerm {
  readonly leases: number;
  readonly progress: number;
  readonly deliveries: number;
  readonly launches: number;
}

const LEASES = "UPDATE attempt SET lease_until = @now + @leaseMs WHERE state = 'running'";

const PROGRESS = "UPDATE attempt SET progress_due_at = @now + progress_timeout_ms WHERE ended_at IS NULL";

const LAUNCHES = "UPDATE launch SET deadline_at = @now + term_ms WHERE deadline_at IS NOT NULL";

const NOTE = "UPDATE service SET fresh_term_at = @now, absence_cause = @cause, served_at = @now";

export function grantFreshTerm(tx: Transaction, cause: AbsenceCause): FreshTerm {
  const { now } = tx;
  const served = tx.get<{ servedAt: number }>("SELECT served_at AS servedAt FROM service");
  tx.run(NOTE, { now, cause });
  const granted = {
    leases: tx.run(LEASES, { now, leaseMs: setting(tx, "task.lease") }),
    progress: tx.run(PROGRESS, { now }),
    deliveries: grantDeliveryTerm(tx, served?.servedAt ?? now),
    launches: tx.run(LAUNCHES, { now }),
  };
  tx.emit({
    type: "scope.fresh_term",
    entity: "scope",
    payload: { cause, awayMs: now - (served?.servedAt ?? now), ...granted },
  });
  return granted;
}
