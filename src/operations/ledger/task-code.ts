/** Schemas and code of the operations on tasks. */
import { z } from "zod";
import { type AddTaskInput, addTask } from "../../coordinator/tasks/add-task.ts";
import type { Task } from "../../coordinator/tasks/read-tasks.ts";
import type { CommandCode } from "./operation-code.ts";
import { count, durationMs, instant, line, taskId } from "./schema-parts.ts";

const brief = z.strictObject({
  objective: z.string().min(1).max(16_384),
  worktree: z.string().max(4096).regex(/^\//, "an absolute path").optional(),
  acceptance: z.string().max(16_384).optional(),
  limits: z.string().max(16_384).optional(),
  durationMs: durationMs.optional(),
});

const task = z.strictObject({
  task: taskId,
  title: z.string(),
  brief,
  state: z.enum(["open", "running", "cancel_requested", "completed", "failed", "cancelled"]),
  version: count,
  fence: count,
  dependsOn: z.array(taskId),
  waitsFor: z.array(taskId),
  createdBy: z.string(),
  createdAt: instant,
  endedAt: instant.nullable(),
  cancelReason: z.string().nullable(),
});

export const TASK_CODE = {
  "task add": {
    input: z.strictObject({
      title: line,
      brief,
      dependsOn: z.array(taskId).max(100).default([]),
      progressTimeoutMs: durationMs.optional(),
    }),
    output: task,
    run: addTask,
  } satisfies CommandCode<AddTaskInput, Task>,
};
