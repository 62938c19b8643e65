/**
 * sweep: what time alone does to the ledger, once a second. Statements over the rows that are due,
 * never over what the owner remembers, so a restart forgets nothing.
 *
 *   in    a transaction, after `grantFreshTerm` wherever the owner was away
 *   out   how much each part did; all zero when nothing was due, and then nothing was written
 *
 * Each part takes at most 500 rows: callers wait for a sweep, and the next one comes soon. The number
 * is written out in each statement, since SQLite prepares one with a bound LIMIT anew at each run.
 */
import type { Transaction } from "../commit/transaction.ts";
import { sweepDeliveries } from "../inbox/sweep-deliveries.ts";
import { sweepLaunchDeadlines } from "./sweep-launches.ts";
import { sweepLeases } from "./sweep-leases.ts";
import { sweepProgress } from "./sweep-progress.ts";
import { sweepSupervision } from "./sweep-supervision.ts";
import { sweepUnresolved } from "./sweep-unresolved.ts";

/** How exactly the ledger knows when its owner last served. */
const SERVED_AT_MS = 60_000;

export interface SweepSummary {
  /** Attempts whose lease passed. */
  readonly leases: number;
  /** Alarms raised or seen again. */
  readonly progress: number;
  readonly supervision: number;
  /** Launches whose deadline passed. */
  readonly launches: number;
  readonly deliveries: number;
  /** Alarms of the scope, raised, seen again or resolved. */
  readonly unresolved: number;
}

export function sweep(tx: Transaction): SweepSummary {
  const summary = {
    leases: sweepLeases(tx),
    progress: sweepProgress(tx),
    launches: sweepLaunchDeadlines(tx),
    supervision: sweepSupervision(tx),
    deliveries: sweepDeliveries(tx),
    unresolved: sweepUnresolved(tx),
  };
  tx.run("UPDATE service SET served_at = @now WHERE abs(@now - served_at) >= @each", {
    now: tx.now,
    each: SERVED_AT_MS,
  });
  return summary;
}
