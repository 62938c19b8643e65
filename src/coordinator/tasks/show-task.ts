/** showTask: a task with all that happened to it: attempts, launches, what is wrong now. */
import { type Attempt, readAttempts } from "../attempts/read-attempts.ts";
import type { Reading } from "../commit/statements.ts";
import { type LaunchSummary, listLaunches } from "../launches/list-launches.ts";
import { findTask } from "./find-task.ts";
import { type OpenAlarm, openAlarmsOfTask } from "./open-alarms.ts";
import { readTask, type Task } from "./read-tasks.ts";

export interface ShownTask extends Task {
  /** Newest first, at most fifty; so are the launches. */
  readonly attempts: readonly Attempt[];
  readonly launches: readonly LaunchSummary[];
  readonly alarms: readonly OpenAlarm[];
}

const MOST_SHOWN = 50;

/** `not_found`, `ambiguous_prefix`. */
export function showTask(reading: Reading, prefix: string): ShownTask {
  const task = findTask(reading, prefix);
  return {
    ...readTask(reading, task),
    attempts: readAttempts(reading, { task, limit: MOST_SHOWN }),
    launches: listLaunches(reading, { task, states: [], limit: MOST_SHOWN }).launches,
    alarms: openAlarmsOfTask(reading, task),
  };
}
