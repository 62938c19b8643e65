/** Launches in a list: newest first, a page at a time; of a task, or only those that are not over. */
import type { Reading } from "../commit/statements.ts";
import { ageCursor, agePage } from "../pages/age-cursor.ts";
import { findTask } from "../tasks/find-task.ts";
import { isLaunchEnd, type LaunchState } from "./launch-machine.ts";

export interface ListLaunchesInput {
  readonly task?: string | undefined;
  readonly states: readonly LaunchState[];
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

export interface LaunchSummary {
  readonly launch: string;
  readonly intent: string;
  readonly task: string;
  readonly state: LaunchState;
  readonly reason: string | null;
  readonly actor: string | null;
  readonly generation: string;
  readonly harness: string;
  readonly hostKind: string;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly endedAt: string | null;
}

export interface LaunchPage {
  readonly launches: readonly LaunchSummary[];
  /** Null on the last page. */
  readonly next: string | null;
}

interface Row extends Omit<LaunchSummary, "createdAt" | "changedAt" | "endedAt"> {
  readonly createdAt: number;
  readonly changedAt: number;
  readonly endedAt: number | null;
}

const WHOLE_ID = /^l-[0-9a-f]+$/;

const COLUMNS = `
  SELECT id AS launch, intent, task, state, reason, actor, generation, harness, host_kind AS hostKind,
         created_at AS createdAt, changed_at AS changedAt, ended_at AS endedAt
    FROM launch`;

const OF_ALL = `${COLUMNS}
   WHERE (created_at, id) < (@createdAt, @id)
     AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))
   ORDER BY created_at DESC, id DESC LIMIT @limit`;

const OF_TASK = `${COLUMNS}
   WHERE task = @task AND (created_at, id) < (@createdAt, @id)
     AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))
   ORDER BY created_at DESC, id DESC LIMIT @limit`;

// Looks at no launch that is over, however many there were.
const OF_LIVE = `${COLUMNS} INDEXED BY launch_one_live_per_task
   WHERE state NOT IN ('released', 'failed', 'abandoned') AND (created_at, id) < (@createdAt, @id)
     AND state IN (SELECT value FROM json_each(@states))
   ORDER BY created_at DESC, id DESC LIMIT @limit`;

export function listLaunches(
  reading: Reading,
  { task, states, limit, after }: ListLaunchesInput,
): LaunchPage {
  const parameters = {
    ...ageCursor(after, WHOLE_ID),
    states: states.length === 0 ? null : JSON.stringify(states),
    limit: limit + 1,
  };
  const areLive = states.length > 0 && !states.some(isLaunchEnd);
  const rows =
    task === undefined
      ? reading.all<Row>(areLive ? OF_LIVE : OF_ALL, parameters)
      : reading.all<Row>(OF_TASK, { ...parameters, task: findTask(reading, task) });
  const { page, next } = agePage(rows, limit, (row) => row.launch);
  return { launches: page.map(summaryOf), next };
}

function summaryOf(row: Row): LaunchSummary {
  return {
    ...row,
    createdAt: new Date(row.createdAt).toISOString(),
    changedAt: new Date(row.changedAt).toISOString(),
    endedAt: row.endedAt === null ? null : new Date(row.endedAt).toISOString(),
  };
}
