/**
 * freeTask: the attempt that held a task is abandoned, so the task is open again; one that was
 * asked to be cancelled has ended with it.
 */
import { invariant } from "../../kernel/errors.ts";
import type { Transaction } from "../commit/transaction.ts";

const FREE = `
  UPDATE task SET state = iif(state = 'cancel_requested', 'cancelled', 'open'),
                  ended_at = iif(state = 'cancel_requested', @now, NULL), version = version + 1
   WHERE id = @task AND state IN ('running', 'cancel_requested')
  RETURNING state`;

export function freeTask(tx: Transaction, task: string): "open" | "cancelled" {
  const freed = tx.get<{ state: "open" | "cancelled" }>(FREE, { task, now: tx.now });
  invariant(freed !== undefined, `LEDGER-1: task ${task} was held by the attempt that is abandoned`);
  tx.emit({ type: freed.state === "open" ? "task.opened" : "task.cancelled", entity: task, payload: {} });
  return freed.state;
}
