/** What nobody knows the end of: it waits for evidence, or for a person (DISPATCH-4). */
import type { Reading } from "../commit/statements.ts";

export interface UnresolvedStatus {
  readonly launches: number;
  readonly attempts: number;
  /** Messages that were shown, of which nothing is known since. */
  readonly uncertainMessages: number;
  /** Messages that were given up. */
  readonly deadMessages: number;
  /** Some of each, the oldest first. */
  readonly oldest: readonly Unresolved[];
}

export interface Unresolved {
  readonly kind: "launch" | "attempt" | "message";
  readonly id: string;
  /** The worker or recipient; null for a launch that has none. */
  readonly actor: string | null;
  readonly state: "uncertain" | "dead";
  /** When it was last known to be well; ISO 8601, UTC. */
  readonly since: string;
  readonly reason: string | null;
}

const COUNTS = `
  SELECT (SELECT count(*) FROM launch INDEXED BY launch_one_live_per_task
           WHERE state NOT IN ('released', 'failed', 'abandoned') AND state = 'uncertain') AS launches,
         (SELECT count(*) FROM attempt INDEXED BY attempt_one_holder
           WHERE state IN ('running', 'uncertain') AND state = 'uncertain') AS attempts,
         (SELECT count(*) FROM delivery INDEXED BY delivery_unresolved
           WHERE state IN ('uncertain', 'dead') AND state = 'uncertain') AS uncertainMessages,
         (SELECT count(*) FROM delivery INDEXED BY delivery_unresolved
           WHERE state IN ('uncertain', 'dead') AND state = 'dead') AS deadMessages`;

const LAUNCHES = `
  SELECT 'launch' AS kind, id, actor, state, changed_at AS since, reason
    FROM launch INDEXED BY launch_one_live_per_task
   WHERE state NOT IN ('released', 'failed', 'abandoned') AND state = 'uncertain'
   ORDER BY changed_at, id LIMIT @limit`;

const ATTEMPTS = `
  SELECT 'attempt' AS kind, task || ':' || fence AS id, actor, state, renewed_at AS since,
         'its lease passed, and nothing proves that it ended' AS reason
    FROM attempt INDEXED BY attempt_one_holder
   WHERE state IN ('running', 'uncertain') AND state = 'uncertain'
   ORDER BY renewed_at, task LIMIT @limit`;

const MESSAGES = `
  SELECT 'message' AS kind, message AS id, recipient AS actor, state,
         coalesce(presented_at, leased_at, settled_at, 0) AS since, reason
    FROM delivery INDEXED BY delivery_unresolved
   WHERE state IN ('uncertain', 'dead') AND state = @state
   ORDER BY position LIMIT @limit`;

type Row = Omit<Unresolved, "since"> & { readonly since: number };

export function readUnresolved(reading: Reading, limit: number): UnresolvedStatus {
  const counts = reading.get<Omit<UnresolvedStatus, "oldest">>(COUNTS);
  const rows = [
    ...reading.all<Row>(LAUNCHES, { limit }),
    ...reading.all<Row>(ATTEMPTS, { limit }),
    ...reading.all<Row>(MESSAGES, { state: "uncertain", limit }),
    ...reading.all<Row>(MESSAGES, { state: "dead", limit }),
  ];
  const oldest = rows
    .toSorted((one, other) => one.since - other.since)
    .slice(0, limit)
    .map((row) => ({ ...row, since: new Date(row.since).toISOString() }));
  const { launches = 0, attempts = 0, uncertainMessages = 0, deadMessages = 0 } = counts ?? {};
  return { launches, attempts, uncertainMessages, deadMessages, oldest };
}
