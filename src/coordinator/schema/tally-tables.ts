/**
 * How many tasks ended in each state, so that `status` reads a few rows however many there are.
 * Triggers alone write it. What has not ended is counted where it stands: it has an index.
 */
export const TALLY_TABLES = `
  CREATE TABLE task_tally (
    state TEXT PRIMARY KEY,
    ended INTEGER NOT NULL CONSTRAINT task_tally_counts CHECK (ended >= 0)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER task_tally_ends AFTER UPDATE OF ended_at ON task
    WHEN OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL
    BEGIN INSERT INTO task_tally (state, ended) VALUES (NEW.state, 1)
            ON CONFLICT (state) DO UPDATE SET ended = ended + 1; END;
  CREATE TRIGGER task_tally_reopens AFTER UPDATE OF ended_at ON task
    WHEN OLD.ended_at IS NOT NULL AND NEW.ended_at IS NULL
    BEGIN UPDATE task_tally SET ended = ended - 1 WHERE state = OLD.state; END;
  CREATE TRIGGER task_tally_adds AFTER INSERT ON task WHEN NEW.ended_at IS NOT NULL
    BEGIN INSERT INTO task_tally (state, ended) VALUES (NEW.state, 1)
            ON CONFLICT (state) DO UPDATE SET ended = ended + 1; END;
  CREATE TRIGGER task_tally_removes AFTER DELETE ON task WHEN OLD.ended_at IS NOT NULL
    BEGIN UPDATE task_tally SET ended = ended - 1 WHERE state = OLD.state; END;
`;
