/**
 * Tables of the work: tasks, and the attempts whose fences authorise writes.
 *
 * The partial unique index is LEDGER-1: at most one attempt holds a task. An uncertain attempt
 * holds it as a running one does, since nothing proves that it ended (DISPATCH-4). The triggers
 * refuse what `task-machine.ts` and `attempt-machine.ts` do not allow, whoever writes.
 */
export const WORK_TABLES = `
  CREATE TABLE task (
    id                  TEXT PRIMARY KEY,
    title               TEXT NOT NULL CONSTRAINT task_title_is_bounded CHECK (length(title) BETWEEN 1 AND 200),
    brief               TEXT NOT NULL,
    created_by          TEXT NOT NULL CONSTRAINT task_created_by REFERENCES actor (id),
    created_at          INTEGER NOT NULL,
    state               TEXT NOT NULL CONSTRAINT task_state
                        CHECK (state IN ('open', 'running', 'cancel_requested', 'completed', 'failed', 'cancelled')),
    version             INTEGER NOT NULL CONSTRAINT task_version_grows CHECK (version >= 1),
    last_fence          INTEGER NOT NULL CONSTRAINT task_fence_grows CHECK (last_fence >= 0),
    progress_timeout_ms INTEGER,
    ended_at            INTEGER,
    cancel_reason       TEXT,
    CONSTRAINT task_end_has_time
      CHECK ((state IN ('completed', 'failed', 'cancelled')) = (ended_at IS NOT NULL))
  ) STRICT;
  CREATE INDEX task_unsettled ON task (state, created_at) WHERE ended_at IS NULL;
  CREATE INDEX task_by_state ON task (state, created_at, id);

  CREATE TRIGGER task_moves_by_its_machine BEFORE UPDATE OF state ON task
    WHEN OLD.state || ' ' || NEW.state NOT IN (
      'open running', 'open completed', 'open failed', 'open cancelled',
      'running open', 'running cancel_requested', 'running completed', 'running failed',
      'cancel_requested completed', 'cancel_requested failed', 'cancel_requested cancelled',
      'failed open', 'cancelled open')
    BEGIN SELECT RAISE(ABORT, 'a task does not move so'); END;

  CREATE TRIGGER task_fence_only_grows BEFORE UPDATE OF last_fence ON task
    WHEN NEW.last_fence < OLD.last_fence
    BEGIN SELECT RAISE(ABORT, 'LEDGER-1: a fence only grows'); END;

  CREATE TABLE task_dependency (
    task       TEXT NOT NULL CONSTRAINT task_dependency_task REFERENCES task (id),
    depends_on TEXT NOT NULL CONSTRAINT task_dependency_depends_on REFERENCES task (id),
    PRIMARY KEY (task, depends_on),
    CONSTRAINT task_depends_on_others CHECK (task <> depends_on)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX task_dependency_by_other ON task_dependency (depends_on);

  CREATE TABLE attempt (
    task                TEXT NOT NULL CONSTRAINT attempt_task REFERENCES task (id),
    fence               INTEGER NOT NULL CONSTRAINT attempt_fence_counts CHECK (fence >= 1),
    actor               TEXT NOT NULL,
    revision            INTEGER NOT NULL,
    launch              TEXT CONSTRAINT attempt_launch REFERENCES launch (id),
    state               TEXT NOT NULL CONSTRAINT attempt_state
                        CHECK (state IN ('running', 'completed', 'failed', 'cancelled', 'abandoned', 'uncertain')),
    started_at          INTEGER NOT NULL,
    lease_until         INTEGER NOT NULL,
    renewed_at          INTEGER NOT NULL,
    progress_at         INTEGER NOT NULL,
    progress_note       TEXT,
    progress_timeout_ms INTEGER NOT NULL CONSTRAINT attempt_progress_timeout CHECK (progress_timeout_ms > 0),
    progress_due_at     INTEGER NOT NULL,
    ended_at            INTEGER,
    result              TEXT,
    PRIMARY KEY (task, fence),
    CONSTRAINT attempt_enrollment FOREIGN KEY (actor, revision) REFERENCES enrollment (actor, revision),
    CONSTRAINT attempt_end_has_time CHECK ((state IN ('running', 'uncertain')) = (ended_at IS NULL))
  ) STRICT;
  CREATE UNIQUE INDEX attempt_one_holder ON attempt (task) WHERE state IN ('running', 'uncertain');
  CREATE INDEX attempt_by_lease ON attempt (lease_until) WHERE state = 'running';
  CREATE INDEX attempt_by_progress ON attempt (progress_due_at) WHERE ended_at IS NULL;
  CREATE INDEX attempt_by_launch ON attempt (launch) WHERE launch IS NOT NULL;

  CREATE TRIGGER attempt_moves_by_its_machine BEFORE UPDATE OF state ON attempt
    WHEN OLD.state || ' ' || NEW.state NOT IN (
      'running running', 'running uncertain', 'running completed', 'running failed', 'running cancelled',
      'running abandoned',
      'uncertain running', 'uncertain completed', 'uncertain failed', 'uncertain cancelled',
      'uncertain abandoned',
      'abandoned completed', 'abandoned failed')
    BEGIN SELECT RAISE(ABORT, 'an attempt does not move so'); END;

  CREATE TRIGGER attempt_holds_with_the_newest_fence BEFORE UPDATE OF state ON attempt
    WHEN NEW.fence <> (SELECT last_fence FROM task WHERE id = NEW.task) AND NEW.state <> 'abandoned'
    BEGIN SELECT RAISE(ABORT, 'LEDGER-2: a stale fence writes nothing'); END;
`;
