/**
 * Tables of the scope itself: who it is, who may act in it, what is set and held.
 *
 * Every instant is in milliseconds since the epoch; every state is a word that a named CHECK lists.
 */
export const SCOPE_TABLES = `
  -- One row. A ledger is known by its instance: a restored or foreign file tells itself apart.
  CREATE TABLE scope (
    only_row   INTEGER PRIMARY KEY CONSTRAINT scope_is_one_row CHECK (only_row = 1),
    instance   TEXT NOT NULL,
    root       TEXT NOT NULL,
    profile    TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  -- When the owner was last known to serve, and the gap that the last fresh term made good.
  CREATE TABLE service (
    only_row      INTEGER PRIMARY KEY CONSTRAINT service_is_one_row CHECK (only_row = 1),
    served_at     INTEGER NOT NULL,
    fresh_term_at INTEGER,
    absence_cause TEXT CONSTRAINT service_absence_cause
                  CHECK (absence_cause IN ('owner_start', 'host_suspended', 'clock_jump', 'owner_stalled'))
  ) STRICT;

  -- No harness here: who acts is independent of the program that it runs.
  CREATE TABLE actor (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL CONSTRAINT actor_kind CHECK (kind IN ('owner', 'operator', 'lead', 'worker')),
    label      TEXT NOT NULL CONSTRAINT actor_label_is_bounded CHECK (length(label) BETWEEN 1 AND 200),
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE enrollment (
    actor             TEXT NOT NULL CONSTRAINT enrollment_actor REFERENCES actor (id),
    revision          INTEGER NOT NULL CONSTRAINT enrollment_revision_grows CHECK (revision >= 1),
    consumer          TEXT NOT NULL CONSTRAINT enrollment_consumer
                      CHECK (consumer IN ('channel', 'hook', 'script')),
    capability_digest TEXT NOT NULL CONSTRAINT enrollment_capability_is_unique UNIQUE
                      CONSTRAINT enrollment_capability_is_digest CHECK (length(capability_digest) = 64),
    state             TEXT NOT NULL CONSTRAINT enrollment_state
                      CHECK (state IN ('active', 'superseded', 'revoked')),
    created_at        INTEGER NOT NULL,
    ended_at          INTEGER,
    PRIMARY KEY (actor, revision),
    CONSTRAINT enrollment_end_has_time CHECK ((state = 'active') = (ended_at IS NULL))
  ) STRICT;
  CREATE UNIQUE INDEX enrollment_one_active ON enrollment (actor) WHERE state = 'active';

  CREATE TABLE native_session (
    actor         TEXT NOT NULL,
    revision      INTEGER NOT NULL,
    session       TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL,
    PRIMARY KEY (actor, revision, session),
    CONSTRAINT native_session_enrollment
      FOREIGN KEY (actor, revision) REFERENCES enrollment (actor, revision)
  ) STRICT;

  CREATE TABLE setting (
    key    TEXT PRIMARY KEY,
    value  TEXT NOT NULL,
    set_by TEXT NOT NULL CONSTRAINT setting_set_by REFERENCES actor (id),
    set_at INTEGER NOT NULL
  ) STRICT;

  -- The operator's own hold of the scope; upgrades have theirs in the store's index.
  CREATE TABLE pause (
    only_row   INTEGER PRIMARY KEY CONSTRAINT pause_is_one_row CHECK (only_row = 1),
    held_by    TEXT NOT NULL CONSTRAINT pause_held_by REFERENCES actor (id),
    pid        INTEGER,
    start_time TEXT,
    boot       TEXT,
    reason     TEXT NOT NULL,
    since      INTEGER NOT NULL,
    CONSTRAINT pause_process_is_whole CHECK ((pid IS NULL) = (start_time IS NULL) AND (pid IS NULL) = (boot IS NULL))
  ) STRICT;

  -- Answers on record (LEDGER-7). They hold no secret: capabilities come in as digests.
  CREATE TABLE command (
    actor       TEXT NOT NULL CONSTRAINT command_actor REFERENCES actor (id),
    id          TEXT NOT NULL,
    operation   TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    answer      TEXT NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (actor, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX command_by_age ON command (at);

  CREATE TABLE event (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    type    TEXT NOT NULL,
    entity  TEXT NOT NULL,
    payload TEXT NOT NULL,
    at      INTEGER NOT NULL
  ) STRICT;
`;
