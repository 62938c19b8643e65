/** Schemas and code of the operations on tasks. */
import { z } from "zod";
import { type AddTaskInput, addTask } from "../../coordinator/tasks/add-task.ts";
import { type CancelTaskInput, cancelTask } from "../../coordinator/tasks/cancel-task.ts";
import { type ListTasksInput, listTasks, type TaskPage } from "../../coordinator/tasks/list-tasks.ts";
import type { Task } from "../../coordinator/tasks/read-tasks.ts";
import { type RetryTaskInput, retryTask } from "../../coordinator/tasks/retry-task.ts";
import { type ShownTask, showTask } from "../../coordinator/tasks/show-task.ts";
import { TASK_STATES } from "../../coordinator/tasks/task-machine.ts";
import { launchSummary } from "./launch-schemas.ts";
import type { CommandCode, QueryCode } from "./operation-code.ts";
import { cursor, durationMs, line, pageLimit, taskPrefix } from "./schema-parts.ts";
import { attempt, brief, openAlarm, task, taskSummary } from "./task-schemas.ts";

export const TASK_CODE = {
  "task add": {
    input: z.strictObject({
      title: line,
      brief,
      dependsOn: z.array(taskPrefix).max(100).default([]),
      progressTimeoutMs: durationMs.optional(),
    }),
    output: task,
    run: addTask,
  } satisfies CommandCode<AddTaskInput, Task>,
  "task ls": {
    input: z.strictObject({
      states: z.array(z.enum(TASK_STATES)).max(TASK_STATES.length).default([]),
      limit: pageLimit,
      after: cursor.optional(),
    }),
    output: z.strictObject({ tasks: z.array(taskSummary), next: cursor.nullable() }),
    query: (reading, _caller, input) => listTasks(reading, input),
  } satisfies QueryCode<ListTasksInput, TaskPage>,
  "task show": {
    input: z.strictObject({ task: taskPrefix }),
    output: task.extend({
      attempts: z.array(attempt),
      launches: z.array(launchSummary),
      alarms: z.array(openAlarm),
    }),
    query: (reading, _caller, input) => showTask(reading, input.task),
  } satisfies QueryCode<{ readonly task: string }, ShownTask>,
  "task cancel": {
    input: z.strictObject({ task: taskPrefix, reason: line.optional() }),
    output: task,
    run: cancelTask,
  } satisfies CommandCode<CancelTaskInput, Task>,
  "task retry": {
    input: z.strictObject({ task: taskPrefix }),
    output: task,
    run: retryTask,
  } satisfies CommandCode<RetryTaskInput, Task>,
};
