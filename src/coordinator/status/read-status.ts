/**
 * readStatus: one screen of a scope, as data. What it costs grows with what is under way, never
 * with what has ended: every statement of it and of its parts stays on an index of live rows or
 * reads a tally.
 *
 * Each list is cut; its count is whole.
 */
import { listAlarms } from "../alarms/list-alarms.ts";
import { type Alarm, countOpenAlarms } from "../alarms/read-alarms.ts";
import { eventRange } from "../commit/events.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import { type Pause, readPause } from "../pause/hold-scope.ts";
import { type InboxStatus, readInboxes } from "./read-inboxes.ts";
import { readUnresolved, type UnresolvedStatus } from "./read-unresolved.ts";
import { readWorkers, type WorkerStatus } from "./read-workers.ts";

export interface Status {
  readonly scope: {
    readonly root: string;
    readonly profile: string;
    readonly instance: string;
    /** ISO 8601, UTC, as every instant. */
    readonly createdAt: string;
  };
  /** When this was read. */
  readonly at: string;
  readonly pause: Pause | null;
  readonly tasks: TaskCounts;
  readonly workers: WorkerStatus;
  readonly alarms: { readonly open: number; readonly newest: readonly Alarm[] };
  readonly inboxes: InboxStatus;
  readonly unresolved: UnresolvedStatus;
  /** The number of the newest event. */
  readonly lastEvent: number;
}

export interface TaskCounts {
  readonly open: number;
  readonly running: number;
  readonly cancel_requested: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

export const MOST_LISTED = 20;

export function readStatus(reading: Reading, caller: Caller, _input: unknown, now: number): Status {
  const newest = listAlarms(reading, caller, { all: false, limit: MOST_LISTED }).alarms;
  return {
    scope: readScope(reading),
    at: new Date(now).toISOString(),
    pause: readPause(reading),
    tasks: countTasks(reading),
    workers: readWorkers(reading, now, MOST_LISTED),
    alarms: { open: countOpenAlarms(reading), newest },
    inboxes: readInboxes(reading, MOST_LISTED),
    unresolved: readUnresolved(reading, MOST_LISTED),
    lastEvent: eventRange(reading).last,
  };
}

function readScope(reading: Reading): Status["scope"] {
  const row = reading.get<{ root: string; profile: string; instance: string; createdAt: number }>(
    "SELECT root, profile, instance, created_at AS createdAt FROM scope",
  );
  const { root = "", profile = "", instance = "", createdAt = 0 } = row ?? {};
  return { root, profile, instance, createdAt: new Date(createdAt).toISOString() };
}

const TASKS = `
  SELECT state, count(*) AS count FROM task INDEXED BY task_unsettled WHERE ended_at IS NULL GROUP BY state
  UNION ALL
  SELECT state, ended FROM task_tally`;

const NO_TASKS: TaskCounts = {
  open: 0,
  running: 0,
  cancel_requested: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
};

function countTasks(reading: Reading): TaskCounts {
  const rows = reading.all<{ state: keyof TaskCounts; count: number }>(TASKS);
  return { ...NO_TASKS, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}
