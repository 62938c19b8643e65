/** Schemas and code of the operations on attempts. */
import { z } from "zod";
import { type ClaimInput, claimTask } from "../../coordinator/attempts/claim.ts";
import { type FinishInput, finishAttempt } from "../../coordinator/attempts/finish.ts";
import type { Hold } from "../../coordinator/attempts/hold.ts";
import { type ProgressInput, reportProgress } from "../../coordinator/attempts/progress.ts";
import type { Attempt } from "../../coordinator/attempts/read-attempts.ts";
import type { FencedWrite } from "../../coordinator/attempts/refuse-write.ts";
import { renewAttempt } from "../../coordinator/attempts/renew.ts";
import type { CommandCode } from "./operation-code.ts";
import { nativeSession, taskPrefix } from "./schema-parts.ts";
import { attempt, hold } from "./task-schemas.ts";

const fence = z.int().min(1);

/** A result is kept whole until it has been settled for as long as `retention.settled` says. */
const MOST_RESULT_BYTES = 65_536;

const result = z
  .json()
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MOST_RESULT_BYTES, "at most 64 KiB as JSON");

export const ATTEMPT_CODE = {
  "attempt claim": {
    input: z.strictObject({ task: taskPrefix }),
    output: hold,
    run: claimTask,
  } satisfies CommandCode<ClaimInput, Hold>,
  "attempt renew": {
    input: z.strictObject({ task: taskPrefix, fence }),
    output: hold,
    run: renewAttempt,
  } satisfies CommandCode<FencedWrite, Hold>,
  "attempt progress": {
    input: z.strictObject({
      task: taskPrefix,
      fence,
      note: z.string().trim().min(1).max(2000),
      nativeSession: nativeSession.optional(),
    }),
    output: hold,
    run: reportProgress,
  } satisfies CommandCode<ProgressInput, Hold>,
  "attempt finish": {
    input: z.strictObject({
      task: taskPrefix,
      fence,
      outcome: z.enum(["completed", "failed", "cancelled"]),
      result: result.optional(),
      nativeSession: nativeSession.optional(),
    }),
    output: attempt,
    run: finishAttempt,
  } satisfies CommandCode<FinishInput, Attempt>,
};
