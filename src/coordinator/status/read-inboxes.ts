/** What waits in all inboxes, and the fullest of them. */
import type { Reading } from "../commit/statements.ts";

export interface InboxStatus {
  /** Messages that are not settled, over all recipients. */
  readonly waiting: number;
  /** Recipients that have some. */
  readonly recipients: number;
  readonly fullest: readonly {
    readonly actor: string;
    readonly waiting: number;
    /** When the oldest of them was sent; ISO 8601, UTC. */
    readonly oldestSentAt: string;
  }[];
}

const SUM = `
  SELECT coalesce(sum(waiting), 0) AS waiting, count(*) AS recipients
    FROM inbox INDEXED BY inbox_waiting WHERE waiting > 0`;

const FULLEST = `
  SELECT inbox.actor, inbox.waiting, message.sent_at AS oldestSentAt
    FROM (SELECT actor, waiting FROM inbox INDEXED BY inbox_waiting WHERE waiting > 0
           ORDER BY waiting DESC, actor LIMIT @limit) AS inbox
    JOIN delivery ON delivery.position = (
           SELECT min(position) FROM delivery INDEXED BY delivery_unsettled
            WHERE recipient = inbox.actor AND settled_at IS NULL)
    JOIN message ON message.id = delivery.message
   ORDER BY inbox.waiting DESC, inbox.actor`;

export function readInboxes(reading: Reading, limit: number): InboxStatus {
  const sum = reading.get<{ waiting: number; recipients: number }>(SUM) ?? { waiting: 0, recipients: 0 };
  const fullest = reading.all<{ actor: string; waiting: number; oldestSentAt: number }>(FULLEST, { limit });
  return {
    ...sum,
    fullest: fullest.map((row) => ({ ...row, oldestSentAt: new Date(row.oldestSentAt).toISOString() })),
  };
}
