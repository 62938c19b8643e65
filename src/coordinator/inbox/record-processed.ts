/**
 * recordProcessed: the work that a message asked for is done, whatever became of its lease.
 *
 *   in    a message that the caller was given at least once, and what came of it
 *   out   the result on record; the first one stands
 *
 * It acknowledges nothing (LEDGER-3): the next lease of that message does, at once. What was
 * uncertain or dead is on its way again for that.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { findMessage } from "./find-message.ts";
import { readDelivery } from "./read-deliveries.ts";
import { putReceipt, readReceipt } from "./receipts.ts";

export interface RecordProcessedInput {
  readonly message: string;
  readonly result: unknown;
}

export interface Processed {
  readonly message: string;
  readonly result: unknown;
}

const SEND_AGAIN = `
  UPDATE delivery SET state = 'pending', settled_at = NULL, next_attempt_at = @now
   WHERE message = @message AND recipient = @recipient AND state IN ('uncertain', 'dead')`;

/** `wrong_state` for a message that the caller was never given. */
export function recordProcessed(tx: Transaction, caller: Caller, input: RecordProcessedInput): Processed {
  const message = findMessage(tx, caller, input.message);
  const key = { message, recipient: caller.actor };
  if (readDelivery(tx, key).attempt === 0) {
    throw new CodedError("wrong_state", `Message ${message} was not delivered to ${caller.actor} yet.`, {
      hint: "swarm-gen inbox fetch gives the next message.",
      fields: { ...key, changed: false },
    });
  }
  if (putReceipt(tx, { ...key, result: input.result })) {
    tx.emit({ type: "message.processed", entity: message, payload: { recipient: caller.actor } });
  }
  if (tx.run(SEND_AGAIN, { ...key, now: tx.now }) === 1) {
    tx.emit({ type: "delivery.requeued", entity: message, payload: { recipient: caller.actor } });
  }
  return { message, result: readReceipt(tx, key) };
}
