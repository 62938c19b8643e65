/**
 * showMessage: one message whole, and how far it came on its way to each recipient. Whoever sent it
 * sees by it that it is dead or in doubt; whoever has to settle that reads here what it asked for.
 *
 * A worker is shown what it was sent and what it sent, and of others' inboxes nothing. Looking
 * presents and acknowledges nothing.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import { findMessage } from "./find-message.ts";
import type { MessageKind } from "./message-kinds.ts";
import { type DeliveryRow, type DeliveryView, deliveryOf } from "./read-deliveries.ts";
import { readReceipt } from "./receipts.ts";

export interface ShownMessage {
  readonly message: string;
  readonly kind: MessageKind;
  readonly sender: string;
  readonly thread: string | null;
  readonly body: string;
  /** ISO 8601, UTC. */
  readonly sentAt: string;
  /** In the order of the recipients' ids. */
  readonly deliveries: readonly ShownDelivery[];
}

export interface ShownDelivery extends DeliveryView {
  /** What came of it; null while nothing is on record. */
  readonly result: unknown;
}

const DELIVERIES = `
  SELECT delivery.*, kind, sender, thread, body, sent_at, processed.at AS processed_at
    FROM delivery JOIN message ON message.id = delivery.message
    LEFT JOIN processed ON processed.actor = delivery.recipient AND processed.message = delivery.message
   WHERE delivery.message = @message AND (@only IS NULL OR sender = @only OR recipient = @only)
   ORDER BY recipient`;

/** `not_found`, also for what is none of a worker's business; `ambiguous_prefix`. */
export function showMessage(
  reading: Reading,
  caller: Caller,
  { message: prefix }: { readonly message: string },
): ShownMessage {
  const message = findMessage(reading, caller, prefix);
  const only = caller.kind === "worker" ? caller.actor : null;
  const rows = reading.all<DeliveryRow>(DELIVERIES, { message, only });
  const [first] = rows;
  if (first === undefined) {
    throw new CodedError("not_found", `There is no message ${message}.`, {
      hint: "swarm-gen inbox ls lists the messages.",
      fields: { message, changed: false },
    });
  }
  const { kind, sender, thread, body, sent_at: sentAt } = first;
  const deliveries = rows.map((row) => ({
    ...deliveryOf(row),
    result: readReceipt(reading, { message, recipient: row.recipient }),
  }));
  return { message, kind, sender, thread, body, sentAt: new Date(sentAt).toISOString(), deliveries };
}
