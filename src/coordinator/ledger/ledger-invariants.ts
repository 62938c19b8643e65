/**
 * The invariants that can be read off a ledger's rows: what each query finds is a breach of the one
 * that it cites. Most are also constraints; the queries see what was written past those.
 */
export interface InvariantQuery {
  readonly invariant: string;
  readonly claim: string;
  /** Gives the ids of what breaks it, in the column `subject`. */
  readonly sql: string;
}

export const LEDGER_INVARIANTS: readonly InvariantQuery[] = [
  {
    invariant: "LEDGER-1",
    claim: "a task has at most one attempt that holds it",
    sql: `SELECT task AS subject FROM attempt WHERE state IN ('running', 'uncertain') GROUP BY task HAVING count(*) > 1`,
  },
  {
    invariant: "LEDGER-1",
    claim: "the attempt that holds a task has its newest fence",
    sql: `SELECT task.id AS subject FROM attempt JOIN task ON task.id = attempt.task
           WHERE attempt.state IN ('running', 'uncertain') AND attempt.fence <> task.last_fence`,
  },
  {
    invariant: "LEDGER-1",
    claim: "no fence is above its task's last",
    sql: `SELECT task.id AS subject FROM attempt JOIN task ON task.id = attempt.task
           WHERE attempt.fence > task.last_fence GROUP BY task.id`,
  },
  {
    invariant: "LEDGER-1",
    claim: "a task is held by an attempt exactly while it runs",
    sql: `SELECT id AS subject FROM task
           WHERE (state IN ('running', 'cancel_requested')) <>
                 EXISTS (SELECT 1 FROM attempt WHERE task = task.id AND attempt.state IN ('running', 'uncertain'))`,
  },
  {
    invariant: "LEDGER-3",
    claim: "what is acknowledged was processed",
    sql: `SELECT message AS subject FROM delivery
           WHERE state = 'acknowledged'
             AND NOT EXISTS (SELECT 1 FROM processed WHERE actor = recipient AND processed.message = delivery.message)`,
  },
  {
    invariant: "LEDGER-4",
    claim: "one envelope at most is outstanding for a recipient",
    sql: `SELECT recipient AS subject FROM delivery WHERE state IN ('leased', 'presented')
           GROUP BY recipient HAVING count(*) > 1`,
  },
  {
    invariant: "LEDGER-7",
    claim: "every recorded answer can be replayed",
    sql: `SELECT id AS subject FROM command WHERE NOT json_valid(answer)`,
  },
  {
    invariant: "DISPATCH-1",
    claim: "a bound launch has answered a challenge of its own, and claimed its task with it",
    sql: `SELECT launch.id AS subject FROM launch
           WHERE state = 'bound' AND NOT EXISTS (
             SELECT 1 FROM readiness JOIN attempt USING (task, fence)
              WHERE readiness.launch = launch.id AND attempt.launch = launch.id)`,
  },
  {
    invariant: "DISPATCH-4",
    claim: "one launch at most is live for a task",
    sql: `SELECT task AS subject FROM launch WHERE state NOT IN ('released', 'failed', 'abandoned')
           GROUP BY task HAVING count(*) > 1`,
  },
  {
    invariant: "inbox",
    claim: "an inbox counts what waits in it",
    sql: `SELECT id AS subject FROM actor
           WHERE (SELECT count(*) FROM delivery WHERE recipient = actor.id AND settled_at IS NULL)
              <> coalesce((SELECT waiting FROM inbox WHERE inbox.actor = actor.id), 0)`,
  },
  {
    invariant: "tally",
    claim: "ended tasks are counted as they are",
    sql: `SELECT column1 AS subject FROM (VALUES ('completed'), ('failed'), ('cancelled'))
           WHERE (SELECT count(*) FROM task WHERE state = column1)
              <> coalesce((SELECT ended FROM task_tally WHERE task_tally.state = column1), 0)`,
  },
  {
    invariant: "scope",
    claim: "the ledger names one scope and its service",
    sql: `SELECT 'scope' AS subject WHERE (SELECT count(*) FROM scope) <> 1 OR (SELECT count(*) FROM service) <> 1`,
  },
];
