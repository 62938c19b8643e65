/**
 * retryTask: a task that failed or was cancelled is open again, under its own id; its next attempt
 * has the next fence.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { findTask } from "./find-task.ts";
import { readTask, type Task } from "./read-tasks.ts";

export interface RetryTaskInput {
  readonly task: string;
}

const REOPEN = `
  UPDATE task SET state = 'open', ended_at = NULL, cancel_reason = NULL, version = version + 1
   WHERE id = @task AND state IN ('failed', 'cancelled')`;

/** `wrong_state` for a task that is not over, or is completed. */
export function retryTask(tx: Transaction, caller: Caller, input: RetryTaskInput): Task {
  const task = findTask(tx, input.task);
  if (tx.run(REOPEN, { task }) === 1) {
    tx.emit({ type: "task.retried", entity: task, payload: { by: caller.actor } });
    return readTask(tx, task);
  }
  const { state } = readTask(tx, task);
  throw new CodedError(
    "wrong_state",
    `Task ${task} is ${state}; only what failed or was cancelled is retried.`,
    {
      hint:
        state === "completed"
          ? "Add a new task for more work."
          : `swarm-gen task show ${task} tells who holds it and what it waits for.`,
      fields: { task, state, changed: false },
    },
  );
}
