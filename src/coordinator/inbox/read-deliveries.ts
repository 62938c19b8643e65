/** Deliveries and envelopes as every surface shows them. */
import { CodedError, invariant } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { DeliveryState } from "./delivery-machine.ts";
import type { MessageKind } from "./message-kinds.ts";

/** One message as leased to its consumer. */
export interface Envelope {
  readonly message: string;
  readonly kind: MessageKind;
  readonly sender: string;
  readonly thread: string | null;
  readonly body: string;
  /** ISO 8601, UTC, as every instant. */
  readonly sentAt: string;
  readonly state: "leased" | "presented";
  /** The how-manieth delivery this is, from 1. */
  readonly attempt: number;
  /** What renews, acknowledges and rejects it, until `leaseUntil`. */
  readonly leaseToken: string;
  readonly leaseUntil: string;
}

/** How far a message came on its way to one recipient. Each stage has a time of its own. */
export interface DeliveryView {
  readonly message: string;
  readonly kind: MessageKind;
  readonly sender: string;
  readonly recipient: string;
  readonly thread: string | null;
  /** The beginning of the body's first line. */
  readonly excerpt: string;
  readonly state: DeliveryState;
  readonly attempt: number;
  readonly sentAt: string;
  readonly expiresAt: string | null;
  /** When it may be fetched again; null unless it is pending. */
  readonly nextAttemptAt: string | null;
  readonly leasedAt: string | null;
  readonly leaseUntil: string | null;
  readonly presentedAt: string | null;
  readonly processedAt: string | null;
  readonly settledAt: string | null;
  /** Why it was not delivered, the last time. */
  readonly reason: string | null;
}

export interface DeliveryRow {
  readonly position: number;
  readonly message: string;
  readonly kind: MessageKind;
  readonly sender: string;
  readonly recipient: string;
  readonly thread: string | null;
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempt: number;
  readonly sent_at: number;
  readonly expires_at: number | null;
  readonly next_attempt_at: number;
  readonly leased_at: number | null;
  readonly lease_until: number | null;
  readonly presented_at: number | null;
  readonly processed_at: number | null;
  readonly settled_at: number | null;
  readonly reason: string | null;
}

const OUTSTANDING = `
  SELECT message, state, attempt, lease_token AS leaseToken, lease_until AS leaseUntil
    FROM delivery INDEXED BY delivery_one_outstanding
   WHERE recipient = @recipient AND state IN ('leased', 'presented')`;

const MESSAGE = "SELECT kind, sender, thread, body, sent_at AS sentAt FROM message WHERE id = @message";

type LeaseRow = Pick<Envelope, "message" | "state" | "attempt" | "leaseToken"> & {
  readonly leaseUntil: number;
};
type MessageRow = Pick<Envelope, "kind" | "sender" | "thread" | "body"> & { readonly sentAt: number };

/** What is out with this recipient; null if nothing is. */
export function readOutstanding(reading: Reading, recipient: string): Envelope | null {
  const lease = reading.get<LeaseRow>(OUTSTANDING, { recipient });
  if (lease === undefined) return null;
  const { message, state, attempt, leaseToken } = lease;
  const sent = reading.get<MessageRow>(MESSAGE, { message });
  invariant(sent !== undefined, "a delivery has its message");
  return {
    message,
    ...sent,
    sentAt: iso(sent.sentAt),
    state,
    attempt,
    leaseToken,
    leaseUntil: iso(lease.leaseUntil),
  };
}

const ONE = `
  SELECT delivery.*, kind, sender, thread, body, sent_at, processed.at AS processed_at
    FROM delivery JOIN message ON message.id = delivery.message
    LEFT JOIN processed ON processed.actor = delivery.recipient AND processed.message = delivery.message
   WHERE delivery.message = @message AND delivery.recipient = @recipient`;

export interface DeliveryKey {
  readonly message: string;
  readonly recipient: string;
}

/** `not_found`. */
export function readDelivery(reading: Reading, { message, recipient }: DeliveryKey): DeliveryView {
  const row = reading.get<DeliveryRow>(ONE, { message, recipient });
  if (row === undefined) {
    throw new CodedError("not_found", `There is no message ${message} for ${recipient}.`, {
      hint: "swarm-gen inbox ls lists the messages.",
      fields: { message, recipient, changed: false },
    });
  }
  return deliveryOf(row);
}

export function deliveryOf(row: DeliveryRow): DeliveryView {
  const { message, kind, sender, recipient, thread, body, state, attempt, reason } = row;
  return {
    message,
    kind,
    sender,
    recipient,
    thread,
    excerpt: excerptOf(body),
    state,
    attempt,
    sentAt: iso(row.sent_at),
    expiresAt: isoOrNull(row.expires_at),
    nextAttemptAt: state === "pending" ? iso(row.next_attempt_at) : null,
    leasedAt: isoOrNull(row.leased_at),
    leaseUntil: isoOrNull(row.lease_until),
    presentedAt: isoOrNull(row.presented_at),
    processedAt: isoOrNull(row.processed_at),
    settledAt: isoOrNull(row.settled_at),
    reason,
  };
}

const MOST_IN_EXCERPT = 120;

function excerptOf(body: string): string {
  const [line = ""] = body.trimStart().split("\n", 1);
  const characters = Array.from(line.slice(0, 2 * MOST_IN_EXCERPT));
  if (characters.length <= MOST_IN_EXCERPT && line.length <= 2 * MOST_IN_EXCERPT) return line;
  return `${characters.slice(0, MOST_IN_EXCERPT).join("")}…`;
}

const iso = (instant: number): string => new Date(instant).toISOString();
const isoOrNull = (instant: number | null): string | null => (instant === null ? null : iso(instant));
