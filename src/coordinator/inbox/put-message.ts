/** putMessage: a message and one pending delivery for each recipient, in the order given. */
import type { Reading } from "../commit/statements.ts";
import type { Transaction } from "../commit/transaction.ts";
import type { MessageKind } from "./message-kinds.ts";

export interface NewMessage {
  readonly kind: MessageKind;
  readonly sender: string;
  /** Actors that exist, each once. */
  readonly recipients: readonly string[];
  readonly thread: string | null;
  readonly body: string;
  /** Milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
}

const ADD_DELIVERY = `
  INSERT INTO delivery (message, recipient, state, attempt, expires_at, next_attempt_at)
  VALUES (@message, @recipient, 'pending', 0, @expiresAt, @now)`;

/** The message's id. */
export function putMessage(tx: Transaction, { recipients, expiresAt, ...message }: NewMessage): string {
  const id = `m-${tx.ids.hex(6)}`;
  tx.run(
    `INSERT INTO message (id, kind, sender, thread, body, sent_at)
     VALUES (@id, @kind, @sender, @thread, @body, @now)`,
    { id, ...message, now: tx.now },
  );
  for (const recipient of recipients) {
    tx.run(ADD_DELIVERY, { message: id, recipient, expiresAt, now: tx.now });
  }
  tx.emit({
    type: "message.sent",
    entity: id,
    payload: { kind: message.kind, sender: message.sender, recipients, thread: message.thread },
  });
  return id;
}

/** Whether fewer than `capacity` messages wait for the recipient. */
export function hasRoom(reading: Reading, recipient: string, capacity: number): boolean {
  const row = reading.get<{ waiting: number }>("SELECT waiting FROM inbox WHERE actor = @recipient", {
    recipient,
  });
  return (row?.waiting ?? 0) < capacity;
}
