/**
 * Tables of launches: what was asked for, what was started on which generation, and what was
 * seen of it. Each kind of report has a table of its own, so that a heartbeat rewrites no row
 * whose state means something else.
 */
export const LAUNCH_TABLES = `
  CREATE TABLE intent (
    id          TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    task        TEXT NOT NULL CONSTRAINT intent_task REFERENCES task (id),
    requested   TEXT NOT NULL,
    resolved    TEXT NOT NULL,
    origins     TEXT NOT NULL,
    created_by  TEXT NOT NULL CONSTRAINT intent_created_by REFERENCES actor (id),
    created_at  INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX intent_by_task ON intent (task, created_at, id);
  CREATE INDEX intent_by_age ON intent (created_at, id);
  CREATE TRIGGER intent_never_changes BEFORE UPDATE ON intent
    BEGIN SELECT RAISE(ABORT, 'LEDGER-5: an intent never changes'); END;

  CREATE TABLE launch (
    id               TEXT PRIMARY KEY,
    intent           TEXT NOT NULL CONSTRAINT launch_intent REFERENCES intent (id),
    task             TEXT NOT NULL CONSTRAINT launch_task REFERENCES task (id),
    state            TEXT NOT NULL CONSTRAINT launch_state
                     CHECK (state IN ('reserved', 'provisioned', 'starting', 'awaiting_worker_ready',
                       'startup_blocked', 'bound', 'stopping', 'uncertain', 'released', 'failed', 'abandoned')),
    reason           TEXT,
    actor            TEXT,
    revision         INTEGER,
    generation       TEXT NOT NULL,
    owner_generation TEXT NOT NULL,
    endpoint         TEXT NOT NULL,
    scope_instance   TEXT NOT NULL,
    harness          TEXT NOT NULL,
    harness_version  TEXT,
    harness_digest   TEXT,
    startup          TEXT NOT NULL CONSTRAINT launch_startup CHECK (startup IN ('approved', 'development')),
    mode             TEXT NOT NULL CONSTRAINT launch_mode CHECK (mode IN ('interactive', 'stream')),
    model            TEXT,
    effort           TEXT,
    reported_model   TEXT,
    argv             TEXT NOT NULL,
    env_names        TEXT NOT NULL,
    cwd              TEXT NOT NULL,
    host_kind        TEXT NOT NULL,
    host_socket      TEXT,
    host_handle      TEXT,
    created_at       INTEGER NOT NULL,
    changed_at       INTEGER NOT NULL,
    term_ms          INTEGER CONSTRAINT launch_term CHECK (term_ms > 0),
    deadline_at      INTEGER,
    ended_at         INTEGER,
    CONSTRAINT launch_enrollment FOREIGN KEY (actor, revision) REFERENCES enrollment (actor, revision),
    CONSTRAINT launch_enrollment_is_whole CHECK ((actor IS NULL) = (revision IS NULL)),
    CONSTRAINT launch_runs_enrolled CHECK (state IN ('reserved', 'failed', 'abandoned') OR actor IS NOT NULL),
    CONSTRAINT launch_deadline_is_whole CHECK ((term_ms IS NULL) = (deadline_at IS NULL)),
    CONSTRAINT launch_end_has_time
      CHECK ((state IN ('released', 'failed', 'abandoned')) = (ended_at IS NOT NULL))
  ) STRICT;
  CREATE UNIQUE INDEX launch_one_live_per_task ON launch (task)
    WHERE state NOT IN ('released', 'failed', 'abandoned');
  CREATE INDEX launch_by_intent ON launch (intent);
  CREATE INDEX launch_by_deadline ON launch (deadline_at) WHERE deadline_at IS NOT NULL;
  CREATE INDEX launch_by_actor ON launch (actor) WHERE actor IS NOT NULL;
  CREATE INDEX launch_by_task ON launch (task, created_at);
  CREATE INDEX launch_by_age ON launch (created_at, id);

  CREATE TRIGGER launch_moves_by_its_machine BEFORE UPDATE OF state ON launch
    WHEN OLD.state || ' ' || NEW.state NOT IN (
      'reserved provisioned', 'reserved failed',
      'provisioned starting', 'provisioned failed',
      'starting awaiting_worker_ready', 'starting stopping', 'starting failed', 'starting uncertain',
      'awaiting_worker_ready bound', 'awaiting_worker_ready startup_blocked', 'awaiting_worker_ready stopping',
      'awaiting_worker_ready failed', 'awaiting_worker_ready uncertain',
      'startup_blocked bound', 'startup_blocked stopping', 'startup_blocked failed', 'startup_blocked uncertain',
      'bound stopping', 'bound uncertain',
      'stopping released', 'stopping uncertain',
      'uncertain bound', 'uncertain stopping', 'uncertain released', 'uncertain abandoned')
    BEGIN SELECT RAISE(ABORT, 'a launch does not move so'); END;

  CREATE TABLE launch_event (
    launch TEXT NOT NULL CONSTRAINT launch_event_launch REFERENCES launch (id),
    seq    INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    source TEXT NOT NULL,
    state  TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (launch, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER launch_event_never_changes BEFORE UPDATE ON launch_event
    BEGIN SELECT RAISE(ABORT, 'a launch event never changes'); END;

  -- DISPATCH-1: what has to hold together for a launch to be bound. Digests only, no plaintext. What
  -- was answered stays on record when a later challenge makes it void.
  CREATE TABLE readiness (
    launch           TEXT NOT NULL CONSTRAINT readiness_launch REFERENCES launch (id),
    mcp_instance     TEXT NOT NULL,
    native_session   TEXT NOT NULL,
    actor            TEXT NOT NULL,
    revision         INTEGER NOT NULL,
    generation       TEXT NOT NULL,
    challenge_digest TEXT NOT NULL CONSTRAINT readiness_challenge_is_digest CHECK (length(challenge_digest) = 64),
    issued_at        INTEGER NOT NULL,
    answered_at      INTEGER,
    voided_at        INTEGER,
    task             TEXT,
    fence            INTEGER,
    PRIMARY KEY (launch, challenge_digest),
    CONSTRAINT readiness_enrollment FOREIGN KEY (actor, revision) REFERENCES enrollment (actor, revision),
    CONSTRAINT readiness_attempt FOREIGN KEY (task, fence) REFERENCES attempt (task, fence),
    CONSTRAINT readiness_answer_has_claim
      CHECK ((answered_at IS NULL) = (task IS NULL) AND (answered_at IS NULL) = (fence IS NULL))
  ) STRICT;
  CREATE UNIQUE INDEX readiness_one_standing ON readiness (launch) WHERE voided_at IS NULL;

  CREATE TRIGGER launch_is_bound_by_readiness BEFORE UPDATE OF state ON launch
    WHEN NEW.state = 'bound' AND NOT EXISTS (
      SELECT 1 FROM readiness JOIN attempt USING (task, fence)
       WHERE readiness.launch = NEW.id AND readiness.voided_at IS NULL AND attempt.launch = NEW.id
         AND readiness.actor = NEW.actor AND readiness.revision = NEW.revision)
    BEGIN SELECT RAISE(ABORT, 'DISPATCH-1: only an answered challenge binds a launch'); END;

  CREATE TABLE health (
    launch     TEXT NOT NULL CONSTRAINT health_launch REFERENCES launch (id),
    part       TEXT NOT NULL CONSTRAINT health_part CHECK (part IN ('wrapper', 'mcp', 'harness', 'hooks')),
    state      TEXT NOT NULL CONSTRAINT health_state CHECK (state IN ('connected', 'ready', 'blocked', 'unknown')),
    reason     TEXT,
    pid        INTEGER,
    start_time TEXT,
    boot       TEXT,
    at         INTEGER NOT NULL,
    PRIMARY KEY (launch, part)
  ) STRICT, WITHOUT ROWID;

  -- since: when the activity became what it is; a repeat moves at alone, so it ends no turn twice.
  CREATE TABLE observation (
    launch   TEXT PRIMARY KEY CONSTRAINT observation_launch REFERENCES launch (id),
    activity TEXT NOT NULL CONSTRAINT observation_activity CHECK (activity IN ('busy', 'available', 'ended')),
    source   TEXT NOT NULL,
    since    INTEGER NOT NULL,
    at       INTEGER NOT NULL
  ) STRICT;
`;
