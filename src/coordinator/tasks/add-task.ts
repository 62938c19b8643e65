/**
 * addTask: work that somebody may claim, once the tasks that it depends on are completed.
 *
 * A dependency must exist when it is named, so a ring of dependencies cannot be made.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { findTask } from "./find-task.ts";
import { readTask, type Task } from "./read-tasks.ts";

export interface TaskBrief {
  readonly objective: string;
  /** Absolute path of the folder to work in. */
  readonly worktree?: string | undefined;
  readonly acceptance?: string | undefined;
  readonly limits?: string | undefined;
  /** How long the requester expects it to take; it widens the progress deadline. */
  readonly durationMs?: number | undefined;
}

export interface AddTaskInput {
  readonly title: string;
  readonly brief: TaskBrief;
  readonly dependsOn: readonly string[];
  /** This task's own progress timeout; absent is the setting's. */
  readonly progressTimeoutMs?: number | undefined;
}

/** `not_found` for a dependency that does not exist. */
export function addTask(tx: Transaction, caller: Caller, input: AddTaskInput): Task {
  const id = `t-${tx.ids.hex(6)}`;
  tx.run(
    `INSERT INTO task (id, title, brief, created_by, created_at, state, version, last_fence, progress_timeout_ms)
     VALUES (@id, @title, @brief, @createdBy, @now, 'open', 1, 0, @progressTimeoutMs)`,
    {
      id,
      title: input.title,
      brief: JSON.stringify(input.brief),
      createdBy: caller.actor,
      now: tx.now,
      progressTimeoutMs: input.progressTimeoutMs ?? null,
    },
  );
  for (const prefix of new Set(input.dependsOn)) addDependency(tx, id, findTask(tx, prefix));
  tx.emit({ type: "task.added", entity: id, payload: { title: input.title } });
  return readTask(tx, id);
}

function addDependency(tx: Transaction, task: string, dependsOn: string): void {
  const added = tx.run(
    `INSERT INTO task_dependency (task, depends_on)
     SELECT @task, id FROM task WHERE id = @dependsOn AND id <> @task
         ON CONFLICT DO UPDATE SET depends_on = excluded.depends_on`,
    { task, dependsOn },
  );
  if (added === 1) return;
  throw new CodedError("not_found", `There is no task ${dependsOn} to depend on.`, {
    hint: "swarm-gen task ls lists the tasks.",
    fields: { task: dependsOn, changed: false },
  });
}
