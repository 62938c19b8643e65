/** Schemas and code of the operations on attempts. */
import { z } from "zod";
import { type ClaimInput, claimTask } from "../../coordinator/attempts/claim.ts";
import type { Attempt } from "../../coordinator/attempts/read-attempts.ts";
import type { CommandCode } from "./operation-code.ts";
import { count, instant, taskId, taskPrefix } from "./schema-parts.ts";

export const attempt = z.strictObject({
  task: taskId,
  fence: count,
  actor: z.string(),
  revision: count,
  launch: z.string().nullable(),
  state: z.enum(["running", "completed", "failed", "cancelled", "abandoned", "uncertain"]),
  startedAt: instant,
  leaseUntil: instant,
  progressAt: instant,
  progressNote: z.string().nullable(),
  progressTimeoutMs: count,
  endedAt: instant.nullable(),
  result: z.json(),
}) as z.ZodType<Attempt>;

export const ATTEMPT_CODE = {
  "attempt claim": {
    input: z.strictObject({ task: taskPrefix }),
    output: attempt,
    run: claimTask,
  } satisfies CommandCode<ClaimInput, Attempt>,
};
