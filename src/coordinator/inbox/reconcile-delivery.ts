/**
 * reconcileDelivery: a person settles what nobody else can know: whether an uncertain or dead
 * message was processed, or is to be delivered again.
 *
 *   throws `wrong_state` for a delivery in any other state, and for a redelivery to who never
 *          fetches again; `not_found`, `invalid_input` where several recipients are in doubt and none
 *          is named
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { isRecipientEnded } from "./end-mail.ts";
import { findMessage } from "./find-message.ts";
import { type DeliveryView, readDelivery } from "./read-deliveries.ts";
import { putReceipt } from "./receipts.ts";

export interface ReconcileInput {
  readonly message: string;
  /** Needed only where several recipients are in doubt. */
  readonly recipient?: string | undefined;
  readonly outcome: "processed" | "redeliver";
  /** How it is known; kept with the receipt. */
  readonly reason: string;
}

const RECONCILE = `
  UPDATE delivery
     SET state = CASE @outcome WHEN 'processed' THEN 'acknowledged' ELSE 'pending' END,
         settled_at = CASE @outcome WHEN 'processed' THEN @now END,
         next_attempt_at = @now, reason = @reason
   WHERE message = @message AND recipient = @recipient AND state IN ('uncertain', 'dead')`;

export function reconcileDelivery(tx: Transaction, caller: Caller, input: ReconcileInput): DeliveryView {
  const { outcome, reason } = input;
  const message = findMessage(tx, caller, input.message);
  const recipient = input.recipient ?? onlyDoubtful(tx, message);
  const key = { message, recipient };
  // A receipt is of a delivery: where there is none, this says so.
  readDelivery(tx, key);
  if (outcome === "redeliver" && isRecipientEnded(tx, recipient)) throw recipientEnded(key);
  if (outcome === "processed") putReceipt(tx, { ...key, result: { reconciledBy: caller.actor, reason } });
  if (tx.run(RECONCILE, { ...key, outcome, reason, now: tx.now }) === 0) throw refusal(tx, key);
  tx.emit({
    type: "delivery.reconciled",
    entity: message,
    payload: { recipient, outcome, by: caller.actor, reason },
  });
  return readDelivery(tx, key);
}

function onlyDoubtful(reading: Reading, message: string): string {
  const rows = reading.all<{ recipient: string; state: string }>(
    "SELECT recipient, state FROM delivery WHERE message = @message ORDER BY recipient",
    { message },
  );
  const doubtful = rows.filter(({ state }) => state === "uncertain" || state === "dead");
  const [only] = doubtful.length > 0 ? doubtful : rows;
  if (only === undefined) {
    throw new CodedError("not_found", `There is no message ${message}.`, {
      hint: "swarm-gen inbox ls lists the messages.",
      fields: { message, changed: false },
    });
  }
  if (doubtful.length <= 1) return only.recipient;
  const recipients = doubtful.map(({ recipient }) => recipient);
  throw new CodedError("invalid_input", `Message ${message} is in doubt for ${recipients.join(", ")}.`, {
    hint: "Name one with --recipient.",
    fields: { path: "recipient", message, recipients, changed: false },
  });
}

function refusal(
  reading: Reading,
  key: { readonly message: string; readonly recipient: string },
): CodedError {
  const { state } = readDelivery(reading, key);
  return new CodedError(
    "wrong_state",
    `Message ${key.message} is ${state} for ${key.recipient}; only uncertain and dead ones are reconciled.`,
    { hint: "swarm-gen inbox ls shows where each message is.", fields: { ...key, state, changed: false } },
  );
}

function recipientEnded(key: { readonly message: string; readonly recipient: string }): CodedError {
  return new CodedError(
    "wrong_state",
    `The launch of ${key.recipient} is over: nobody fetches for it any more.`,
    {
      hint: "Send it to another worker, or enroll somebody as this one first.",
      fields: { ...key, changed: false },
    },
  );
}
