/**
 * endMail: what waits for a recipient who never fetches again is dead, with the reason
 * `recipient_ended`, in the transaction in which its launch ends. Work of it that is on record as
 * processed is acknowledged instead.
 *
 * A launch's worker is enrolled for that launch alone. Anybody else whose enrollment was revoked can
 * be enrolled again, so their mail waits. What is uncertain stays so: no end tells what came of it.
 * Should somebody be enrolled as that worker all the same, a dead message can be delivered to it
 * once more, by `inbox reconcile`.
 */
import type { Reading } from "../commit/statements.ts";
import type { Transaction } from "../commit/transaction.ts";

const END = `
  UPDATE delivery
     SET state = iif(EXISTS (SELECT 1 FROM processed
                              WHERE actor = delivery.recipient AND processed.message = delivery.message),
                     'acknowledged', 'dead'),
         settled_at = @now, reason = 'recipient_ended'
   WHERE recipient = @recipient AND settled_at IS NULL AND state = 'pending'
  RETURNING message, state, attempt`;

interface Ended {
  readonly message: string;
  readonly state: "acknowledged" | "dead";
  readonly attempt: number;
}

/** How many deliveries it ended. What is out with the recipient was taken back before. */
export function endMail(tx: Transaction, recipient: string): number {
  const ended = tx.all<Ended>(END, { recipient, now: tx.now });
  for (const { message, state, attempt } of ended) {
    const payload = { recipient, attempt, reason: "recipient_ended" };
    tx.emit({ type: `delivery.${state}`, entity: message, payload });
  }
  return ended.length;
}

const HAS_ENDED = `
  SELECT 1 FROM launch
   WHERE actor = @recipient AND ended_at IS NOT NULL
     AND revision = (SELECT max(revision) FROM enrollment WHERE enrollment.actor = launch.actor)`;

/** Whether nobody ever fetches for it any more, unless it is enrolled anew. */
export function isRecipientEnded(reading: Reading, recipient: string): boolean {
  return reading.get(HAS_ENDED, { recipient }) !== undefined;
}
