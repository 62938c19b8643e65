/** Schemas of what tasks, attempts and alarms look like in outputs. */
import { z } from "zod";
import { ALARM_KINDS } from "../../coordinator/alarms/alarm-kinds.ts";
import { ATTEMPT_STATES } from "../../coordinator/attempts/attempt-machine.ts";
import { TASK_STATES } from "../../coordinator/tasks/task-machine.ts";
import { absolutePath, count, durationMs, instant, taskId } from "./schema-parts.ts";

export const brief = z.strictObject({
  objective: z.string().min(1).max(16_384),
  worktree: absolutePath.optional(),
  acceptance: z.string().max(16_384).optional(),
  limits: z.string().max(16_384).optional(),
  durationMs: durationMs.optional(),
});

export const task = z.strictObject({
  task: taskId,
  title: z.string(),
  brief,
  state: z.enum(TASK_STATES),
  version: count,
  fence: count,
  dependsOn: z.array(taskId),
  waitsFor: z.array(taskId),
  createdBy: z.string(),
  createdAt: instant,
  endedAt: instant.nullable(),
  cancelReason: z.string().nullable(),
});

export const taskSummary = z.strictObject({
  task: taskId,
  title: z.string(),
  state: z.enum(TASK_STATES),
  fence: count,
  holder: z.string().nullable(),
  waitsFor: count.describe("how many tasks it waits for"),
  createdBy: z.string(),
  createdAt: instant,
  endedAt: instant.nullable(),
});

export const attempt = z.strictObject({
  task: taskId,
  fence: count,
  actor: z.string(),
  revision: count,
  launch: z.string().nullable(),
  state: z.enum(ATTEMPT_STATES),
  startedAt: instant,
  leaseUntil: instant,
  progressAt: instant,
  progressNote: z.string().nullable(),
  progressTimeoutMs: count,
  endedAt: instant.nullable(),
  result: z.unknown().describe("the holder's own JSON"),
});

export const hold = attempt.extend({
  leaseMs: count.describe("how long the lease is, counted from the start of the request"),
  cancelRequested: z.boolean(),
  cancelReason: z.string().nullable(),
});

export const openAlarm = z.strictObject({
  alarm: z.string(),
  subjectKind: z.enum(["attempt", "launch"]),
  subject: z.string(),
  kind: z.enum(ALARM_KINDS),
  detail: z.string(),
  raisedAt: instant,
});
