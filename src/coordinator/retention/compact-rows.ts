/**
 * Rows that become summaries of themselves. How far that has come is one instant for each kind:
 * nothing that ended up to it is looked at again. It goes back with a clock that was set back, and
 * with a longer time to keep, or what ends from then on would stay whole for ever.
 */
import type { Transaction } from "../commit/transaction.ts";

/** The objective's beginning stays; acceptance, limits and the rest go. */
const COMPACT_TASKS = `
  UPDATE task INDEXED BY task_by_end SET brief = json_object('objective', substr(json_extract(brief, '$.objective'), 1, 200))
   WHERE state = 'completed' AND ended_at > @from AND ended_at <= @to AND length(brief) > 300`;

/** Whole attempts stay, a large result's text goes. */
const COMPACT_ATTEMPTS = `
  UPDATE attempt SET progress_note = NULL,
                     result = CASE WHEN length(result) > 1000
                                   THEN json_object('compacted', json('true'), 'sizeBytes', octet_length(result))
                                   ELSE result END
   WHERE ended_at > @from AND ended_at <= @to AND (progress_note IS NOT NULL OR length(result) > 1000)`;

const ENDED_LAUNCHES = "SELECT id FROM launch WHERE ended_at > @from AND ended_at <= @to";
const COMPACT_LAUNCHES = `
  UPDATE launch SET argv = '[]', env_names = '[]' WHERE ended_at > @from AND ended_at <= @to`;
/** Of its events the last one, which says how it ended. */
const DROP_LAUNCH_EVENTS = `
  DELETE FROM launch_event
   WHERE launch IN (${ENDED_LAUNCHES})
     AND seq < (SELECT max(seq) FROM launch_event AS last WHERE last.launch = launch_event.launch)`;
const DROP_REPORTS = [
  `DELETE FROM health WHERE launch IN (${ENDED_LAUNCHES})`,
  `DELETE FROM observation WHERE launch IN (${ENDED_LAUNCHES})`,
  `DELETE FROM readiness WHERE launch IN (${ENDED_LAUNCHES})`,
  // A worker is enrolled for one launch, so no session of it comes back.
  `DELETE FROM native_session WHERE (actor, revision) IN (
     SELECT actor, revision FROM launch WHERE ended_at > @from AND ended_at <= @to)`,
];

export interface Slice {
  /** What ended up to this instant is due. */
  readonly until: number;
  readonly most: number;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

export function compactTasks(tx: Transaction, slice: Slice): number {
  const span = dueSpan(tx, TASKS, slice);
  if (span === null) return 0;
  tx.run("UPDATE retention SET tasks_until = @to", { to: span.to });
  return tx.run(COMPACT_TASKS, { ...span });
}

export function compactAttempts(tx: Transaction, slice: Slice): number {
  const span = dueSpan(tx, ATTEMPTS, slice);
  if (span === null) return 0;
  tx.run("UPDATE retention SET attempts_until = @to", { to: span.to });
  return tx.run(COMPACT_ATTEMPTS, { ...span });
}

export function compactLaunches(tx: Transaction, slice: Slice): number {
  const span = dueSpan(tx, LAUNCHES, slice);
  if (span === null) return 0;
  tx.run("UPDATE retention SET launches_until = @to", { to: span.to });
  for (const drop of [DROP_LAUNCH_EVENTS, ...DROP_REPORTS]) tx.run(drop, { ...span });
  return tx.run(COMPACT_LAUNCHES, { ...span });
}

interface Due {
  readonly reached: string;
  readonly back: string;
  /** The end of the last row of a slice; rows that ended together stay together. */
  readonly end: string;
}

const TASKS: Due = {
  reached: "SELECT tasks_until AS reached FROM retention",
  back: "UPDATE retention SET tasks_until = @until",
  end: `SELECT max(ended_at) AS "to" FROM (
          SELECT ended_at FROM task INDEXED BY task_by_end WHERE state = 'completed' AND ended_at > @from AND ended_at <= @until
           ORDER BY ended_at LIMIT @most)`,
};

const ATTEMPTS: Due = {
  reached: "SELECT attempts_until AS reached FROM retention",
  back: "UPDATE retention SET attempts_until = @until",
  end: `SELECT max(ended_at) AS "to" FROM (
          SELECT ended_at FROM attempt WHERE ended_at > @from AND ended_at <= @until ORDER BY ended_at LIMIT @most)`,
};

const LAUNCHES: Due = {
  reached: "SELECT launches_until AS reached FROM retention",
  back: "UPDATE retention SET launches_until = @until",
  end: `SELECT max(ended_at) AS "to" FROM (
          SELECT ended_at FROM launch WHERE ended_at > @from AND ended_at <= @until ORDER BY ended_at LIMIT @most)`,
};

/** Null where nothing is due. */
function dueSpan(tx: Transaction, { reached, back, end }: Due, slice: Slice): Span | null {
  const begun = tx.get<{ reached: number }>(reached);
  if (begun !== undefined && begun.reached > slice.until) {
    tx.run(back, { until: slice.until });
    return null;
  }
  const from = begun?.reached ?? 0;
  const to = tx.get<{ to: number | null }>(end, { from, ...slice })?.to ?? null;
  if (to === null) return null;
  if (begun === undefined) {
    tx.run(
      "INSERT INTO retention (only_row, tasks_until, attempts_until, launches_until) VALUES (1, 0, 0, 0)",
    );
  }
  return { from, to };
}
