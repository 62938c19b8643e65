/**
 * What a ledger holds that an older copy of it lacks: what restoring the copy would lose.
 *
 * Rows are compared by their ids; a task that is in both but moved on is told with both its states.
 */
import type Database from "better-sqlite3";

export interface LedgerLoss {
  readonly tasks: Lost;
  /** Tasks that the copy has in an older version: `t-… running → open`. */
  readonly changedTasks: Lost;
  readonly attempts: Lost;
  readonly launches: Lost;
  /** Those among them that are live: their workers run on, unknown to the restored ledger. */
  readonly liveLaunches: Lost;
  readonly messages: Lost;
  readonly actors: Lost;
  readonly commands: Lost;
  readonly events: Lost;
}

export interface Lost {
  readonly count: number;
  /** The first of them, at most 50. */
  readonly first: readonly string[];
}

const MOST_TOLD = 50;

const LOSSES: Readonly<Record<keyof LedgerLoss, string>> = {
  tasks: "SELECT id FROM main.task WHERE id NOT IN (SELECT id FROM older.task) ORDER BY created_at, id",
  changedTasks: `SELECT now.id || ' ' || now.state || ' → ' || was.state FROM main.task AS now
                   JOIN older.task AS was ON was.id = now.id
                  WHERE now.version <> was.version OR now.last_fence <> was.last_fence ORDER BY now.id`,
  attempts: `SELECT task || ' fence ' || fence FROM main.attempt
              WHERE (task, fence) NOT IN (SELECT task, fence FROM older.attempt) ORDER BY started_at`,
  launches:
    "SELECT id FROM main.launch WHERE id NOT IN (SELECT id FROM older.launch) ORDER BY created_at, id",
  liveLaunches: `SELECT id FROM main.launch WHERE id NOT IN (SELECT id FROM older.launch)
                    AND state NOT IN ('released', 'failed', 'abandoned') ORDER BY created_at, id`,
  messages: "SELECT id FROM main.message WHERE id NOT IN (SELECT id FROM older.message) ORDER BY sent_at, id",
  actors: "SELECT id FROM main.actor WHERE id NOT IN (SELECT id FROM older.actor) ORDER BY created_at, id",
  commands: `SELECT operation || ' ' || id FROM main.command
              WHERE (actor, id) NOT IN (SELECT actor, id FROM older.command) ORDER BY at, id`,
  events:
    "SELECT seq || ' ' || type FROM main.event WHERE seq > (SELECT coalesce(max(seq), 0) FROM older.event) ORDER BY seq",
};

/** `db` is the ledger; `older` the path of the copy, closed and without a log. */
export function compareLedgers(db: Database.Database, older: string): LedgerLoss {
  db.prepare("ATTACH @older AS older").run({ older });
  try {
    return Object.fromEntries(
      Object.entries(LOSSES).map(([name, sql]) => {
        const rows = db.prepare(sql).pluck().all() as string[];
        return [name, { count: rows.length, first: rows.slice(0, MOST_TOLD) }];
      }),
    ) as unknown as LedgerLoss;
  } finally {
    db.exec("DETACH older");
  }
}
