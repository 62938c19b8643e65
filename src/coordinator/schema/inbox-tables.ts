/**
 * Tables of the inbox and of alarms: messages, one delivery for each recipient, what was
 * processed, and what is wrong.
 *
 * `delivery_one_outstanding` is LEDGER-4. `processed` is keyed by message, never by lease token
 * (LEDGER-3), and is only added to.
 */
export const INBOX_TABLES = `
  CREATE TABLE message (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    sender     TEXT NOT NULL CONSTRAINT message_sender REFERENCES actor (id),
    thread     TEXT,
    body       TEXT NOT NULL CONSTRAINT message_body_is_bounded CHECK (octet_length(body) <= 16384),
    expires_at INTEGER,
    sent_at    INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE delivery (
    message         TEXT NOT NULL CONSTRAINT delivery_message REFERENCES message (id),
    recipient       TEXT NOT NULL CONSTRAINT delivery_recipient REFERENCES actor (id),
    position        INTEGER NOT NULL,
    state           TEXT NOT NULL CONSTRAINT delivery_state
                    CHECK (state IN ('pending', 'leased', 'presented', 'acknowledged', 'uncertain', 'expired', 'dead')),
    attempt         INTEGER NOT NULL CONSTRAINT delivery_attempt_counts CHECK (attempt >= 0),
    lease_token     TEXT CONSTRAINT delivery_lease_token_is_unique UNIQUE,
    revision        INTEGER,
    lease_until     INTEGER,
    next_attempt_at INTEGER NOT NULL,
    presented_at    INTEGER,
    settled_at      INTEGER,
    reason          TEXT,
    PRIMARY KEY (message, recipient),
    CONSTRAINT delivery_lease_is_whole
      CHECK ((state IN ('leased', 'presented')) = (lease_until IS NOT NULL)
        AND (lease_until IS NULL OR (lease_token IS NOT NULL AND revision IS NOT NULL))),
    CONSTRAINT delivery_end_has_time
      CHECK ((state IN ('acknowledged', 'expired', 'dead')) = (settled_at IS NOT NULL))
  ) STRICT;
  CREATE UNIQUE INDEX delivery_one_outstanding ON delivery (recipient) WHERE state IN ('leased', 'presented');
  CREATE INDEX delivery_waiting ON delivery (recipient, position) WHERE state = 'pending';
  CREATE INDEX delivery_by_lease ON delivery (lease_until) WHERE lease_until IS NOT NULL;

  CREATE TABLE processed (
    actor   TEXT NOT NULL CONSTRAINT processed_actor REFERENCES actor (id),
    message TEXT NOT NULL,
    result  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (actor, message)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER processed_never_changes BEFORE UPDATE ON processed
    BEGIN SELECT RAISE(ABORT, 'LEDGER-3: a processed receipt never changes'); END;

  CREATE TABLE alarm (
    id               TEXT PRIMARY KEY,
    subject_kind     TEXT NOT NULL CONSTRAINT alarm_subject_kind
                     CHECK (subject_kind IN ('attempt', 'launch', 'scope', 'profile')),
    subject          TEXT NOT NULL,
    kind             TEXT NOT NULL,
    detail           TEXT NOT NULL,
    last_progress_at INTEGER,
    last_health_at   INTEGER,
    last_renewal_at  INTEGER,
    raised_at        INTEGER NOT NULL,
    last_seen_at     INTEGER NOT NULL,
    resolved_at      INTEGER,
    resolution       TEXT,
    CONSTRAINT alarm_resolution_has_time CHECK ((resolved_at IS NULL) = (resolution IS NULL))
  ) STRICT;
  CREATE UNIQUE INDEX alarm_one_open ON alarm (subject_kind, subject, kind) WHERE resolved_at IS NULL;
`;
