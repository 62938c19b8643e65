/**
 * Tasks in a list: newest first, a page at a time, by state.
 */
import type { Reading } from "../commit/statements.ts";
import { ageCursor, agePage } from "../pages/age-cursor.ts";
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

const WHOLE_ID = /^t-[0-9a-f]+$/;

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
  const parameters = { ...ageCursor(after, WHOLE_ID), limit: limit + 1 };
  const wanted = states.length === 0 ? TASK_STATES : [...new Set(states)];
  const rows = wanted
    .flatMap((state) => reading.all<Row>(OF_STATE, { ...parameters, state }))
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.task < b.task ? 1 : -1));
  const { page, next } = agePage(rows, limit, (row) => row.task);
  return { tasks: page.map(summaryOf), next };
}

function summaryOf(row: Row): TaskSummary {
  return {
    ...row,
    createdAt: new Date(row.createdAt).toISOString(),
    endedAt: row.endedAt === null ? null : new Date(row.endedAt).toISOString(),
  };
}
