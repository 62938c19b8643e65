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
  CREATE INDEX intent_by_task ON intent (task);
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
    deadline_at      INTEGER,
    ended_at         INTEGER,
    CONSTRAINT launch_enrollment FOREIGN KEY (actor, revision) REFERENCES enrollment (actor, revision),
    CONSTRAINT launch_enrollment_is_whole CHECK ((actor IS NULL) = (revision IS NULL)),
    CONSTRAINT launch_runs_enrolled CHECK (state IN ('reserved', 'failed', 'abandoned') OR actor IS NOT NULL),
    CONSTRAINT launch_end_has_time
      CHECK ((state IN ('released', 'failed', 'abandoned')) = (ended_at IS NOT NULL))
  ) STRICT;
  CREATE UNIQUE INDEX launch_one_live_per_task ON launch (task)
    WHERE state NOT IN ('released', 'failed', 'abandoned');
  CREATE INDEX launch_by_intent ON launch (intent);
  CREATE INDEX launch_by_deadline ON launch (deadline_at) WHERE deadline_at IS NOT NULL;

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

  -- DISPATCH-1: what has to hold together for a launch to be bound. Digests only, no plaintext.
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
    PRIMARY KEY (launch, mcp_instance, native_session),
    CONSTRAINT readiness_enrollment FOREIGN KEY (actor, revision) REFERENCES enrollment (actor, revision),
    CONSTRAINT readiness_attempt FOREIGN KEY (task, fence) REFERENCES attempt (task, fence),
    CONSTRAINT readiness_answer_has_claim
      CHECK ((answered_at IS NULL) = (task IS NULL) AND (answered_at IS NULL) = (fence IS NULL))
  ) STRICT;
  CREATE UNIQUE INDEX readiness_one_standing ON readiness (launch) WHERE voided_at IS NULL;

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

  CREATE TABLE observation (
    launch   TEXT PRIMARY KEY CONSTRAINT observation_launch REFERENCES launch (id),
    activity TEXT NOT NULL CONSTRAINT observation_activity CHECK (activity IN ('busy', 'available', 'ended')),
    source   TEXT NOT NULL,
    at       INTEGER NOT NULL
  ) STRICT;
`;
