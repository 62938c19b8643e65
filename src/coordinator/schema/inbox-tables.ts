/**
 * Tables of the inbox and of alarms: messages, one delivery for each recipient, what was
 * processed, and what is wrong.
 *
 * `delivery_one_outstanding` is LEDGER-4. `processed` is keyed by message, never by lease token
 * (LEDGER-3), and is only added to. `inbox` counts what waits for each recipient, so that neither
 * a send nor `status` counts rows; triggers alone write it.
 */
export const INBOX_TABLES = `
  CREATE TABLE message (
    id      TEXT PRIMARY KEY,
    kind    TEXT NOT NULL,
    sender  TEXT NOT NULL CONSTRAINT message_sender REFERENCES actor (id),
    thread  TEXT,
    body    TEXT NOT NULL CONSTRAINT message_body_is_bounded CHECK (octet_length(body) <= 16384),
    sent_at INTEGER NOT NULL
  ) STRICT;

  -- position is the order of sending. expires_at stands here, where the sweep looks for it. launch is
  -- history, as message is in alarm: neither holds back the removal of what it names. proof is the
  -- challenge by whose answer the session was ready, so that no other session passes for it.
  CREATE TABLE delivery (
    position        INTEGER PRIMARY KEY,
    message         TEXT NOT NULL CONSTRAINT delivery_message REFERENCES message (id),
    recipient       TEXT NOT NULL CONSTRAINT delivery_recipient REFERENCES actor (id),
    state           TEXT NOT NULL CONSTRAINT delivery_state
                    CHECK (state IN ('pending', 'leased', 'presented', 'acknowledged', 'uncertain', 'expired', 'dead')),
    attempt         INTEGER NOT NULL CONSTRAINT delivery_attempt_counts CHECK (attempt >= 0),
    expires_at      INTEGER,
    next_attempt_at INTEGER NOT NULL,
    lease_token     TEXT,
    revision        INTEGER,
    launch          TEXT,
    proof           TEXT,
    leased_at       INTEGER,
    lease_until     INTEGER,
    presented_at    INTEGER,
    settled_at      INTEGER,
    reason          TEXT,
    CONSTRAINT delivery_once_for_each UNIQUE (message, recipient),
    CONSTRAINT delivery_lease_is_whole
      CHECK ((state IN ('leased', 'presented')) = (lease_until IS NOT NULL)
        AND (lease_until IS NULL OR (lease_token IS NOT NULL AND revision IS NOT NULL AND leased_at IS NOT NULL))),
    CONSTRAINT delivery_session_is_whole CHECK ((launch IS NULL) = (proof IS NULL)),
    CONSTRAINT delivery_presented_has_time CHECK (state <> 'presented' OR presented_at IS NOT NULL),
    CONSTRAINT delivery_end_has_time
      CHECK ((state IN ('acknowledged', 'expired', 'dead')) = (settled_at IS NOT NULL))
  ) STRICT;
  CREATE UNIQUE INDEX delivery_one_outstanding ON delivery (recipient) WHERE state IN ('leased', 'presented');
  CREATE INDEX delivery_unsettled ON delivery (recipient, position) WHERE settled_at IS NULL;
  CREATE INDEX delivery_by_expiry ON delivery (expires_at) WHERE settled_at IS NULL AND expires_at IS NOT NULL;
  CREATE INDEX delivery_unresolved ON delivery (state, position) WHERE state IN ('uncertain', 'dead');

  CREATE TRIGGER delivery_moves_by_its_machine BEFORE UPDATE OF state ON delivery
    WHEN OLD.state || ' ' || NEW.state NOT IN (
      'pending leased', 'pending expired', 'pending dead', 'pending acknowledged',
      'leased presented', 'leased acknowledged', 'leased pending', 'leased dead',
      'presented acknowledged', 'presented pending', 'presented dead', 'presented uncertain',
      'uncertain pending', 'uncertain acknowledged', 'dead pending', 'dead acknowledged')
    BEGIN SELECT RAISE(ABORT, 'a delivery does not move so'); END;
  CREATE TRIGGER delivery_acknowledged_is_processed BEFORE UPDATE OF state ON delivery
    WHEN NEW.state = 'acknowledged'
      AND NOT EXISTS (SELECT 1 FROM processed WHERE actor = NEW.recipient AND message = NEW.message)
    BEGIN SELECT RAISE(ABORT, 'LEDGER-3: processed is written with or before the ack'); END;

  CREATE TABLE inbox (
    actor   TEXT PRIMARY KEY CONSTRAINT inbox_actor REFERENCES actor (id),
    waiting INTEGER NOT NULL CONSTRAINT inbox_waiting_counts CHECK (waiting >= 0)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX inbox_waiting ON inbox (actor) WHERE waiting > 0;
  CREATE TRIGGER delivery_added AFTER INSERT ON delivery WHEN NEW.settled_at IS NULL
    BEGIN INSERT INTO inbox (actor, waiting) VALUES (NEW.recipient, 1)
            ON CONFLICT (actor) DO UPDATE SET waiting = waiting + 1; END;
  CREATE TRIGGER delivery_settled AFTER UPDATE OF settled_at ON delivery
    WHEN OLD.settled_at IS NULL AND NEW.settled_at IS NOT NULL
    BEGIN UPDATE inbox SET waiting = waiting - 1 WHERE actor = NEW.recipient; END;
  CREATE TRIGGER delivery_revived AFTER UPDATE OF settled_at ON delivery
    WHEN OLD.settled_at IS NOT NULL AND NEW.settled_at IS NULL
    BEGIN UPDATE inbox SET waiting = waiting + 1 WHERE actor = NEW.recipient; END;
  CREATE TRIGGER delivery_removed AFTER DELETE ON delivery WHEN OLD.settled_at IS NULL
    BEGIN UPDATE inbox SET waiting = waiting - 1 WHERE actor = OLD.recipient; END;

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
    requester        TEXT CONSTRAINT alarm_requester REFERENCES actor (id),
    message          TEXT,
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
