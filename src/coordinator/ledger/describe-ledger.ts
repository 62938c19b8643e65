/** What a ledger holds, in numbers. */
import type Database from "better-sqlite3";

export interface LedgerContents {
  readonly counts: {
    readonly actors: number;
    readonly tasks: number;
    readonly unsettledTasks: number;
    readonly attempts: number;
    readonly launches: number;
    readonly liveLaunches: number;
    readonly messages: number;
    readonly unsettledDeliveries: number;
    readonly openAlarms: number;
    readonly commands: number;
    readonly events: number;
  };
  /** Instants in ISO 8601, UTC; null where there is none. */
  readonly oldestTaskAt: string | null;
  readonly newestTaskAt: string | null;
  readonly oldestEventAt: string | null;
  readonly newestEventAt: string | null;
  /** The newest event's number; 0 if there was none. */
  readonly newestEvent: number;
  readonly servedAt: string;
}

const CONTENTS = `
  SELECT (SELECT count(*) FROM actor) AS actors,
         (SELECT count(*) FROM task) AS tasks,
         (SELECT count(*) FROM task WHERE ended_at IS NULL) AS unsettledTasks,
         (SELECT count(*) FROM attempt) AS attempts,
         (SELECT count(*) FROM launch) AS launches,
         (SELECT count(*) FROM launch WHERE state NOT IN ('released', 'failed', 'abandoned')) AS liveLaunches,
         (SELECT count(*) FROM message) AS messages,
         (SELECT count(*) FROM delivery WHERE settled_at IS NULL) AS unsettledDeliveries,
         (SELECT count(*) FROM alarm WHERE resolved_at IS NULL) AS openAlarms,
         (SELECT count(*) FROM command) AS commands,
         (SELECT count(*) FROM event) AS events`;

const TIMES = `
  SELECT (SELECT min(created_at) FROM task) AS oldestTaskAt,
         (SELECT max(created_at) FROM task) AS newestTaskAt,
         (SELECT at FROM event ORDER BY seq LIMIT 1) AS oldestEventAt,
         (SELECT at FROM event ORDER BY seq DESC LIMIT 1) AS newestEventAt,
         (SELECT coalesce(max(seq), 0) FROM event) AS newestEvent,
         (SELECT served_at FROM service) AS servedAt`;

export function describeLedger(db: Database.Database): LedgerContents {
  const counts = db.prepare(CONTENTS).get() as LedgerContents["counts"];
  const times = db.prepare(TIMES).get() as Record<string, number | null>;
  const instant = (name: string): string | null => {
    const at = times[name] ?? null;
    return at === null ? null : new Date(at).toISOString();
  };
  return {
    counts,
    oldestTaskAt: instant("oldestTaskAt"),
    newestTaskAt: instant("newestTaskAt"),
    oldestEventAt: instant("oldestEventAt"),
    newestEventAt: instant("newestEventAt"),
    newestEvent: times.newestEvent ?? 0,
    servedAt: instant("servedAt") ?? "",
  };
}
