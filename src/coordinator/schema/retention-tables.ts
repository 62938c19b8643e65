/**
 * What retention needs: how far it has come, and an index for each kind of row that settles, so
 * that finding what is due reads nothing else.
 */
export const RETENTION_TABLES = `
  -- One row. What ended up to these instants is compact already.
  CREATE TABLE retention (
    only_row       INTEGER PRIMARY KEY CONSTRAINT retention_is_one_row CHECK (only_row = 1),
    tasks_until    INTEGER NOT NULL,
    attempts_until INTEGER NOT NULL,
    launches_until INTEGER NOT NULL
  ) STRICT;

  CREATE INDEX task_by_end ON task (ended_at) WHERE state = 'completed';
  CREATE INDEX attempt_by_end ON attempt (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX launch_by_end ON launch (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX delivery_by_end ON delivery (settled_at)
    WHERE (state IN ('acknowledged', 'expired') OR (state = 'dead' AND reason = 'recipient_ended'));
  CREATE INDEX alarm_by_end ON alarm (resolved_at) WHERE resolved_at IS NOT NULL;
`;
