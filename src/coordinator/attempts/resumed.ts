/** That a holder is heard of again after its attempt became uncertain; the feed is told, once. */
import type { Reading } from "../commit/statements.ts";
import type { Transaction } from "../commit/transaction.ts";
import type { FencedWrite } from "./refuse-write.ts";

export function isUncertain(reading: Reading, { task, fence }: FencedWrite): boolean {
  const row = reading.get(
    "SELECT 1 FROM attempt WHERE task = @task AND fence = @fence AND state = 'uncertain'",
    { task, fence },
  );
  return row !== undefined;
}

export function tellResumed(tx: Transaction, { task, fence }: FencedWrite): void {
  tx.emit({ type: "attempt.resumed", entity: task, payload: { fence } });
}
