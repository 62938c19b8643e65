/**
 * sweepLeases: what a passed lease does. With a launch the attempt is uncertain and keeps its task;
 * without one it is abandoned, and the task is open again, or cancelled if that was asked for.
 */
import { afterAbandon } from "../attempts/abandon.ts";
import type { Transaction } from "../commit/transaction.ts";

interface Lapsed {
  readonly task: string;
  readonly fence: number;
  readonly state: "uncertain" | "abandoned";
}

const LAPSE = `
  UPDATE attempt SET state = iif(launch IS NULL, 'abandoned', 'uncertain'),
                     ended_at = iif(launch IS NULL, @now, NULL)
   WHERE rowid IN (SELECT rowid FROM attempt INDEXED BY attempt_by_lease
                    WHERE state = 'running' AND lease_until <= @now LIMIT 500)
  RETURNING task, fence, state`;

/** How many attempts it moved. */
export function sweepLeases(tx: Transaction): number {
  const lapsed = tx.all<Lapsed>(LAPSE, { now: tx.now });
  for (const attempt of lapsed) {
    const { task, fence, state } = attempt;
    if (state === "abandoned") afterAbandon(tx, attempt, "its lease passed");
    else tx.emit({ type: "attempt.uncertain", entity: task, payload: { fence, why: "its lease passed" } });
  }
  return lapsed.length;
}
