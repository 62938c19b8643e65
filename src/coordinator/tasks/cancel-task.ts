/**
 * cancelTask: somebody no longer wants it.
 *
 *   out   cancelled          it was open
 *         cancel_requested   somebody holds it; the holder hears of it at its next renewal or progress
 *   throws `wrong_state` for a task that ended otherwise
 *
 * What is cancelled, or asked to be, stays as it is, with the first reason.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { findTask } from "./find-task.ts";
import { readTask, type Task } from "./read-tasks.ts";
import { decideTask } from "./task-machine.ts";

export interface CancelTaskInput {
  readonly task: string;
  readonly reason?: string | undefined;
}

const CANCEL = `
  UPDATE task SET state = iif(state = 'open', 'cancelled', 'cancel_requested'),
                  ended_at = iif(state = 'open', @now, NULL), cancel_reason = @reason, version = version + 1
   WHERE id = @task AND state IN ('open', 'running')
  RETURNING state`;

export function cancelTask(tx: Transaction, caller: Caller, input: CancelTaskInput): Task {
  const task = findTask(tx, input.task);
  const reason = input.reason ?? null;
  const moved = tx.get<{ state: "cancelled" | "cancel_requested" }>(CANCEL, { task, reason, now: tx.now });
  if (moved !== undefined) {
    tx.emit({ type: `task.${moved.state}`, entity: task, payload: { by: caller.actor, reason } });
    return readTask(tx, task);
  }
  const found = readTask(tx, task);
  if (decideTask(found.state, { type: "cancel" }).type === "already") return found;
  throw new CodedError("wrong_state", `Task ${task} is ${found.state} since ${found.endedAt}.`, {
    hint: "What has ended needs no cancelling.",
    fields: { task, state: found.state, changed: false },
  });
}
