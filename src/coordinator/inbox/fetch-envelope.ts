/**
 * fetchEnvelope: the next message of the caller's inbox, leased to its consumer.
 *
 *   out   an envelope   the oldest that is due; or the one that is out already, with its own token
 *         none          and why: nothing there, nothing due yet, or the session is not to be
 *                       disturbed. None of these is a fault, and none costs an attempt.
 *   throws `second_consumer` where the enrollment names another kind of consumer, and for another MCP
 *          process than the one that proved itself, which is not shown what is out either
 *
 * LEDGER-4: the unique index `delivery_one_outstanding` is what holds two fetches apart. Work that
 * is on record as processed is acknowledged here, under its fresh token, and never given out again.
 */
import { CodedError, invariant } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller, Consumer, Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { acknowledge } from "./ack-envelope.ts";
import { endOutstanding } from "./end-outstanding.ts";
import { type Envelope, readOutstanding } from "./read-deliveries.ts";
import { type SessionHold, sessionReadiness } from "./session-readiness.ts";

export interface FetchInput {
  /** What fetches. */
  readonly consumer: Consumer;
  /** For a channel: the MCP process, as its readiness names it. */
  readonly mcpInstance?: string | undefined;
}

export interface Fetched {
  readonly envelope: Envelope | null;
  /** Why there is none. */
  readonly because: "empty" | "not_due" | SessionHold | null;
  /** When the next one is due, where that is known; ISO 8601, UTC. */
  readonly dueAt: string | null;
}

// Apart from the lease, since SQLite prepares a statement anew at each run where ORDER BY meets a
// partial index and a bound value; for this short one that costs little, for the lease 60 µs.
const NEXT = `
  SELECT position, message FROM delivery INDEXED BY delivery_unsettled
   WHERE recipient = @recipient AND settled_at IS NULL AND state = 'pending'
     AND next_attempt_at <= @now AND (expires_at IS NULL OR expires_at > @now)
   ORDER BY position LIMIT 1`;

const LEASE = `
  UPDATE delivery
     SET state = 'leased', attempt = attempt + 1, lease_token = @leaseToken, revision = @revision,
         launch = @launch, proof = @proof, leased_at = @now, lease_until = @leaseUntil, presented_at = NULL,
         reason = NULL
   WHERE position = @position AND recipient = @recipient AND state = 'pending'`;

const IS_PROCESSED = "SELECT 1 FROM processed WHERE actor = @recipient AND message = @message";

const DUE_AT = `
  SELECT min(next_attempt_at) AS dueAt FROM delivery INDEXED BY delivery_unsettled
   WHERE recipient = @recipient AND settled_at IS NULL AND state = 'pending'
     AND (expires_at IS NULL OR expires_at > @now)`;

export function fetchEnvelope(tx: Transaction, caller: Caller, input: FetchInput): Fetched {
  refuseOtherConsumer(caller, input.consumer);
  const { actor: recipient, revision } = caller;
  endOutstanding(tx, { first: recipient, last: recipient });
  const session = sessionOf(tx, caller, input);
  const outstanding = readOutstanding(tx, recipient);
  if (outstanding !== null) return { envelope: outstanding, because: null, dueAt: null };
  if (session.kind === "held") return { envelope: null, because: session.because, dueAt: null };
  for (;;) {
    const next = tx.get<{ position: number; message: string }>(NEXT, { recipient, now: tx.now });
    if (next === undefined) return nothing(tx, recipient);
    const { position, message } = next;
    const leaseToken = tx.ids.hex(16);
    const leased = tx.run(LEASE, {
      position,
      recipient,
      leaseToken,
      revision,
      launch: session.launch,
      proof: session.proof,
      now: tx.now,
      leaseUntil: tx.now + setting(tx, "inbox.lease"),
    });
    invariant(leased === 1, "a pending delivery that was just read is leased");
    tx.emit({ type: "delivery.leased", entity: message, payload: { recipient } });
    if (tx.get(IS_PROCESSED, { recipient, message }) === undefined) break;
    acknowledge(tx, { message, leaseToken, recipient, revision });
  }
  return { envelope: readOutstanding(tx, recipient), because: null, dueAt: null };
}

function refuseOtherConsumer({ actor, revision, consumer }: Caller, asking: Consumer): void {
  if (asking === consumer) return;
  throw new CodedError(
    "second_consumer",
    `The mail of ${actor} is taken by its ${consumer}, not by a ${asking}.`,
    { fields: { actor, revision, consumer, changed: false } },
  );
}

function sessionOf(tx: Transaction, caller: Caller, { mcpInstance }: FetchInput) {
  if (caller.consumer !== "channel") return { kind: "available", launch: null, proof: null } as const;
  return sessionReadiness(tx, { caller, mcpInstance, now: tx.now });
}

function nothing(reading: Reading & { readonly now: number }, recipient: string): Fetched {
  const row = reading.get<{ dueAt: number | null }>(DUE_AT, { recipient, now: reading.now });
  const dueAt = row?.dueAt ?? null;
  if (dueAt === null) return { envelope: null, because: "empty", dueAt: null };
  return { envelope: null, because: "not_due", dueAt: new Date(dueAt).toISOString() };
}
