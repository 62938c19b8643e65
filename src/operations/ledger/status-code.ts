/** Schema and code of `status`. */
import { z } from "zod";
import { LAUNCH_STATES } from "../../coordinator/launches/launch-machine.ts";
import { readStatus, type Status } from "../../coordinator/status/read-status.ts";
import { alarm } from "./alarm-code.ts";
import type { QueryCode } from "./operation-code.ts";
import { actorId, count, instant } from "./schema-parts.ts";
import { pause } from "./scope-code.ts";

const launchState = z.enum(LAUNCH_STATES);

const workers = z.strictObject({
  live: count,
  groups: z.array(
    z.strictObject({
      generation: z.string(),
      state: launchState,
      count,
      silent: count,
      oldestSince: instant,
    }),
  ),
  silent: z.array(
    z.strictObject({ launch: z.string(), task: z.string(), state: launchState, heardAt: instant }),
  ),
});

const unresolved = z.strictObject({
  launches: count,
  attempts: count,
  uncertainMessages: count,
  deadMessages: count,
  oldest: z.array(
    z.strictObject({
      kind: z.enum(["launch", "attempt", "message"]),
      id: z.string(),
      actor: actorId.nullable(),
      state: z.enum(["uncertain", "dead"]),
      since: instant,
      reason: z.string().nullable(),
    }),
  ),
});

const status = z.strictObject({
  scope: z.strictObject({ root: z.string(), profile: z.string(), instance: z.string(), createdAt: instant }),
  at: instant,
  pause: pause.nullable(),
  tasks: z.strictObject({
    open: count,
    running: count,
    cancel_requested: count,
    completed: count,
    failed: count,
    cancelled: count,
  }),
  workers,
  alarms: z.strictObject({ open: count, newest: z.array(alarm) }),
  inboxes: z.strictObject({
    waiting: count,
    recipients: count,
    fullest: z.array(z.strictObject({ actor: actorId, waiting: count, oldestSentAt: instant })),
  }),
  unresolved,
  lastEvent: count,
}) satisfies z.ZodType<Status>;

export const STATUS_CODE = {
  status: { input: z.strictObject({}), output: status, query: readStatus } satisfies QueryCode<
    Record<never, never>,
    Status
  >,
};
