/**
 * Mail that is settled and old: deliveries, their receipts, and messages that nobody has any more.
 * Nothing of it can be delivered again, so no receipt is needed. Dead deliveries stay: somebody has
 * to see them, and may have them delivered once more; but not those whose recipient has ended.
 */
import type { Transaction } from "../commit/transaction.ts";
import type { Slice } from "./compact-rows.ts";

interface SettledRow {
  readonly position: number;
  readonly message: string;
  readonly recipient: string;
}

const SETTLED = `
  SELECT position, message, recipient FROM delivery
   WHERE (state IN ('acknowledged', 'expired') OR (state = 'dead' AND reason = 'recipient_ended'))
     AND settled_at <= @until ORDER BY settled_at LIMIT @most`;

/** How many deliveries it dropped. */
export function dropMail(tx: Transaction, slice: Slice): number {
  const settled = tx.all<SettledRow>(SETTLED, { ...slice });
  for (const { position, message, recipient } of settled) {
    tx.run("DELETE FROM delivery WHERE position = @position", { position });
    tx.run("DELETE FROM processed WHERE actor = @recipient AND message = @message", { recipient, message });
    tx.run(
      "DELETE FROM message WHERE id = @message AND NOT EXISTS (SELECT 1 FROM delivery WHERE message = @message)",
      { message },
    );
  }
  return settled.length;
}
