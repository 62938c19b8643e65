/**
 * sendMessage: one message to one or several actors, to all of them or to none.
 *
 *   throws `not_found` for a recipient that does not exist, `wrong_state` for one that nobody can
 *          fetch for, as a worker whose launch is over; `inbox_full` naming the first recipient whose
 *          inbox has no room
 */
import { CodedError } from "../../kernel/errors.ts";
import { OWNER } from "../actors/authenticate.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import type { SentKind } from "./message-kinds.ts";
import { hasRoom, putMessage } from "./put-message.ts";

export const MOST_BODY_BYTES = 16_384;

export interface SendInput {
  readonly to: readonly string[];
  readonly kind: SentKind;
  readonly body: string;
  /** A word by which the two ends know what belongs together. */
  readonly thread?: string | undefined;
  /** After this long it is not worth delivering any more; absent is never. */
  readonly expiresInMs?: number | undefined;
}

export interface SentMessage {
  readonly message: string;
  readonly recipients: readonly string[];
  /** ISO 8601, UTC. */
  readonly sentAt: string;
  readonly expiresAt: string | null;
}

export function sendMessage(tx: Transaction, caller: Caller, input: SendInput): SentMessage {
  const { to, kind, body, thread = null, expiresInMs } = input;
  refuseLong(body);
  const recipients = [...new Set(to)];
  const capacity = setting(tx, "inbox.capacity");
  for (const recipient of recipients) refuseRecipient(tx, recipient, capacity);
  const expiresAt = expiresInMs === undefined ? null : tx.now + expiresInMs;
  const message = putMessage(tx, { kind, sender: caller.actor, recipients, thread, body, expiresAt });
  return {
    message,
    recipients,
    sentAt: new Date(tx.now).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

function refuseLong(body: string): void {
  const bytes = Buffer.byteLength(body, "utf8");
  if (bytes <= MOST_BODY_BYTES) return;
  throw new CodedError("invalid_input", `The body has ${bytes} bytes; ${MOST_BODY_BYTES} are the most.`, {
    hint: "Put what is long into a file of the worktree, and send its path.",
    fields: { path: "body", bytes, mostBytes: MOST_BODY_BYTES, changed: false },
  });
}

function refuseRecipient(reading: Reading, recipient: string, capacity: number): void {
  const isEnrolled = reading.get(IS_ENROLLED, { recipient }) !== undefined;
  if (!isEnrolled || recipient === OWNER) throw nobodyFetches(reading, recipient);
  if (hasRoom(reading, recipient, capacity)) return;
  throw new CodedError("inbox_full", `The inbox of ${recipient} holds ${capacity} messages already.`, {
    fields: { recipient, capacity, changed: false },
  });
}

const IS_ENROLLED = "SELECT 1 FROM enrollment WHERE actor = @recipient AND state = 'active'";

function nobodyFetches(reading: Reading, recipient: string): CodedError {
  const isThere = reading.get("SELECT 1 FROM actor WHERE id = @recipient", { recipient }) !== undefined;
  if (!isThere) {
    return new CodedError("not_found", `There is no actor ${recipient} to send to.`, {
      hint: "swarm-gen actor ls lists the actors.",
      fields: { recipient, changed: false },
    });
  }
  return new CodedError("wrong_state", `Nobody can fetch messages for ${recipient}.`, {
    hint: "swarm-gen actor ls tells who is enrolled.",
    fields: { recipient, changed: false },
  });
}
