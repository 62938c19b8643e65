/**
 * The index's schema, as numbered steps that only add.
 *
 * `user_version` is major × 1000 + minor. Owners of several generations write one index at once,
 * so a step adds tables and columns and never changes what an older program reads: it raises the
 * minor, and any program of the same major opens it. A newer major is refused (`store_newer`).
 */
export const SCHEMA_MAJOR = 1;

/** "swgn" in ASCII: says that a database is ours before anything is written to it. */
export const APPLICATION_ID = 0x7377676e;

/** Step n brings the minor from n to n + 1. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE generation (
    id             TEXT PRIMARY KEY CONSTRAINT generation_id_is_digest CHECK (length(id) = 64),
    name           TEXT NOT NULL,
    state          TEXT NOT NULL CONSTRAINT generation_state CHECK (state IN ('present', 'collecting')),
    files          INTEGER NOT NULL,
    size_bytes     INTEGER NOT NULL,
    nar_hash       TEXT,
    staged_at      INTEGER NOT NULL,
    source         TEXT NOT NULL,
    source_commit  TEXT,
    source_dirty   INTEGER,
    import_methods TEXT NOT NULL
  ) STRICT;

  CREATE TABLE pin (
    id              TEXT PRIMARY KEY,
    kind            TEXT NOT NULL CONSTRAINT pin_kind
                    CHECK (kind IN ('activation', 'launch', 'owner', 'stage', 'process', 'manual')),
    generation      TEXT NOT NULL CONSTRAINT pin_generation REFERENCES generation (id),
    reason          TEXT NOT NULL,
    since           INTEGER NOT NULL,
    expires_at      INTEGER,
    profile         TEXT,
    activation      INTEGER,
    launch_id       TEXT UNIQUE,
    scope           TEXT,
    ledger_instance TEXT,
    epoch           INTEGER,
    stage           TEXT CONSTRAINT pin_stage CHECK (stage IN ('reserved', 'started')),
    pid             INTEGER,
    start_time      TEXT,
    boot            TEXT,
    CONSTRAINT pin_activation_holder
      CHECK (kind <> 'activation' OR (profile IS NOT NULL AND activation IS NOT NULL)),
    CONSTRAINT pin_launch_holder
      CHECK (kind <> 'launch' OR (launch_id IS NOT NULL AND profile IS NOT NULL AND scope IS NOT NULL
             AND ledger_instance IS NOT NULL AND epoch IS NOT NULL AND stage IS NOT NULL)),
    CONSTRAINT pin_process_holder
      CHECK (kind NOT IN ('owner', 'stage', 'process')
             OR (pid IS NOT NULL AND start_time IS NOT NULL AND boot IS NOT NULL))
  ) STRICT;
  CREATE INDEX pin_by_generation ON pin (generation);

  -- Cites generations by value: history keeps no tree alive and outlives them.
  CREATE TABLE activation (
    profile    TEXT NOT NULL,
    number     INTEGER NOT NULL,
    generation TEXT NOT NULL,
    at         INTEGER NOT NULL,
    by         TEXT NOT NULL,
    kind       TEXT NOT NULL CONSTRAINT activation_kind CHECK (kind IN ('activate', 'rollback')),
    position   INTEGER NOT NULL,
    PRIMARY KEY (profile, number),
    CONSTRAINT activation_position CHECK (position <= number)
  ) STRICT;
  CREATE INDEX activation_by_generation ON activation (generation);

  CREATE TABLE admission (
    profile    TEXT PRIMARY KEY,
    state      TEXT NOT NULL CONSTRAINT admission_state CHECK (state IN ('open', 'closed')),
    epoch      INTEGER NOT NULL,
    command    TEXT,
    pid        INTEGER,
    start_time TEXT,
    boot       TEXT,
    target     TEXT,
    reason     TEXT,
    since      INTEGER,
    CONSTRAINT admission_closed_has_holder
      CHECK ((state = 'open') = (command IS NULL) AND (command IS NULL) = (pid IS NULL))
  ) STRICT;

  -- Folders in the making, so that what a killed stage left behind is told from one at work.
  CREATE TABLE staging (
    folder     TEXT PRIMARY KEY,
    pid        INTEGER NOT NULL,
    start_time TEXT NOT NULL,
    boot       TEXT NOT NULL,
    since      INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE audit (
    seq        INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    action     TEXT NOT NULL,
    generation TEXT NOT NULL,
    detail     TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_by_generation ON audit (generation);
  `,
  `
  -- Cites a generation by value; what keeps it alive is the owner's pin, or the activation's.
  CREATE TABLE scope (
    id         TEXT PRIMARY KEY CONSTRAINT scope_id_is_digest CHECK (length(id) = 12),
    root       TEXT NOT NULL,
    profile    TEXT NOT NULL,
    instance   TEXT NOT NULL,
    folder     TEXT NOT NULL,
    generation TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  `,
];
