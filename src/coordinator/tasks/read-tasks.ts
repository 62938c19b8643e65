/** Tasks as every surface shows them. */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { TaskBrief } from "./add-task.ts";
import type { TaskState } from "./task-machine.ts";

export interface Task {
  readonly task: string;
  readonly title: string;
  readonly brief: TaskBrief;
  readonly state: TaskState;
  readonly version: number;
  /** The newest attempt's fence; 0 if there was none. */
  readonly fence: number;
  readonly dependsOn: readonly string[];
  /** The tasks among them that are not completed yet. */
  readonly waitsFor: readonly string[];
  readonly createdBy: string;
  /** ISO 8601, UTC, as every instant. */
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly cancelReason: string | null;
}

interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly brief: string;
  readonly created_by: string;
  readonly created_at: number;
  readonly state: TaskState;
  readonly version: number;
  readonly last_fence: number;
  readonly ended_at: number | null;
  readonly cancel_reason: string | null;
}

/** `not_found`. */
export function readTask(reading: Reading, id: string): Task {
  const row = reading.get<TaskRow>("SELECT * FROM task WHERE id = @id", { id });
  if (row === undefined) {
    throw new CodedError("not_found", `There is no task ${id}.`, {
      hint: "swarm-gen task ls lists the tasks.",
      fields: { task: id, changed: false },
    });
  }
  return taskOf(reading, row);
}

function taskOf(reading: Reading, row: TaskRow): Task {
  const dependencies = reading.all<{ id: string; state: TaskState }>(
    `SELECT other.id, other.state FROM task_dependency AS dependency
       JOIN task AS other ON other.id = dependency.depends_on
      WHERE dependency.task = @id ORDER BY other.created_at, other.id`,
    { id: row.id },
  );
  return {
    task: row.id,
    title: row.title,
    brief: JSON.parse(row.brief) as TaskBrief,
    state: row.state,
    version: row.version,
    fence: row.last_fence,
    dependsOn: dependencies.map(({ id }) => id),
    waitsFor: dependencies.filter(({ state }) => state !== "completed").map(({ id }) => id),
    createdBy: row.created_by,
    createdAt: new Date(row.created_at).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    cancelReason: row.cancel_reason,
  };
}
