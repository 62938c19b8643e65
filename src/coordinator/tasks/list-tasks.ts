/**
 * Tasks in a list: newest first, a page at a time, by state. A cursor is the last row's age and id,
 * so that tasks which come meanwhile shift no page.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import { TASK_STATES, type TaskState } from "./task-machine.ts";

export interface ListTasksInput {
  /** All states where none is named. */
  readonly states: readonly TaskState[];
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

export interface TaskSummary {
  readonly task: string;
  readonly title: string;
  readonly state: TaskState;
  readonly fence: number;
  /** The actor that holds it; null for nobody. */
  readonly holder: string | null;
  /** How many tasks it waits for. */
  readonly waitsFor: number;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

export interface TaskPage {
  readonly tasks: readonly TaskSummary[];
  /** Null on the last page. */
  readonly next: string | null;
}

interface Row extends Omit<TaskSummary, "createdAt" | "endedAt"> {
  readonly createdAt: number;
  readonly endedAt: number | null;
}

const COLUMNS = `
  SELECT id AS task, title, state, last_fence AS fence, created_by AS createdBy, created_at AS createdAt,
         ended_at AS endedAt,
         (SELECT actor FROM attempt WHERE attempt.task = task.id AND attempt.state IN ('running', 'uncertain'))
           AS holder,
         (SELECT count(*) FROM task_dependency JOIN task AS other ON other.id = depends_on
           WHERE task_dependency.task = task.id AND other.state <> 'completed') AS waitsFor
    FROM task`;

// One state at a time, so that the index gives the order: a rare state among many settled rows is
// found as fast as a common one.
const OF_STATE = `${COLUMNS} INDEXED BY task_by_state
   WHERE state = @state AND (created_at, id) < (@createdAt, @id)
   ORDER BY created_at DESC, id DESC LIMIT @limit`;

export function listTasks(reading: Reading, { states, limit, after }: ListTasksInput): TaskPage {
  const parameters = { ...cursorOf(after), limit: limit + 1 };
  const wanted = states.length === 0 ? TASK_STATES : [...new Set(states)];
  const rows = wanted
    .flatMap((state) => reading.all<Row>(OF_STATE, { ...parameters, state }))
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.task < b.task ? 1 : -1));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    tasks: page.map(summaryOf),
    next: rows.length > limit && last !== undefined ? `${last.createdAt}.${last.task}` : null,
  };
}

function cursorOf(after: string | undefined): { readonly createdAt: number; readonly id: string } {
  if (after === undefined) return { createdAt: Number.MAX_SAFE_INTEGER, id: "" };
  const [, createdAt, id] = /^(\d{1,15})\.(t-[0-9a-f]+)$/.exec(after) ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
  throw new CodedError("invalid_input", `${after} is no cursor of this list.`, {
    hint: "Take `next` of the page before as it is.",
    fields: { path: "after", changed: false },
  });
}

function summaryOf(row: Row): TaskSummary {
  return {
    ...row,
    createdAt: new Date(row.createdAt).toISOString(),
    endedAt: row.endedAt === null ? null : new Date(row.endedAt).toISOString(),
  };
}
