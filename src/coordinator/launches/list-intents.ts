/** Intents in a list: newest first, a page at a time; of all tasks or of one. */
import type { Reading } from "../commit/statements.ts";
import { ageCursor, agePage } from "../pages/age-cursor.ts";
import { findTask } from "../tasks/find-task.ts";
import { type Intent, type IntentRow, intentOf } from "./read-launches.ts";

export interface ListIntentsInput {
  readonly task?: string | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

export interface IntentPage {
  readonly intents: readonly Intent[];
  /** Null on the last page. */
  readonly next: string | null;
}

const WHOLE_ID = /^i-[0-9a-f]+$/;

const OF_ALL = `
  SELECT * FROM intent WHERE (created_at, id) < (@createdAt, @id)
   ORDER BY created_at DESC, id DESC LIMIT @limit`;

const OF_TASK = `
  SELECT * FROM intent WHERE task = @task AND (created_at, id) < (@createdAt, @id)
   ORDER BY created_at DESC, id DESC LIMIT @limit`;

/** `not_found`, `ambiguous_prefix` for the task; `invalid_input` for a cursor of no page. */
export function listIntents(reading: Reading, { task, limit, after }: ListIntentsInput): IntentPage {
  const parameters = { ...ageCursor(after, WHOLE_ID), limit: limit + 1 };
  const rows =
    task === undefined
      ? reading.all<IntentRow>(OF_ALL, parameters)
      : reading.all<IntentRow>(OF_TASK, { ...parameters, task: findTask(reading, task) });
  const aged = rows.map((row) => ({ createdAt: row.created_at, intent: intentOf(row) }));
  const { page, next } = agePage(aged, limit, (row) => row.intent.intent);
  return { intents: page.map(({ intent }) => intent), next };
}
