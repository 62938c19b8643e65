/** Receipts of processed messages: by recipient and message, never by token; the first one stands. */
import type { Reading } from "../commit/statements.ts";
import type { Transaction } from "../commit/transaction.ts";
import type { DeliveryKey } from "./read-deliveries.ts";

/** Whether this was the first. */
export function putReceipt(
  tx: Transaction,
  { message, recipient, result }: DeliveryKey & { readonly result: unknown },
): boolean {
  const added = tx.run(
    `INSERT INTO processed (actor, message, result, at) VALUES (@recipient, @message, @result, @now)
     ON CONFLICT (actor, message) DO NOTHING`,
    { message, recipient, result: JSON.stringify(result ?? null), now: tx.now },
  );
  return added === 1;
}

/** The result on record; null if there is none. */
export function readReceipt(reading: Reading, { message, recipient }: DeliveryKey): unknown {
  const row = reading.get<{ result: string }>(
    "SELECT result FROM processed WHERE actor = @recipient AND message = @message",
    { message, recipient },
  );
  return row === undefined ? null : JSON.parse(row.result);
}
