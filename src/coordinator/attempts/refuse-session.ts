/**
 * Which native session may write for a launched worker: the one that stands for readiness now. A
 * session that was replaced is refused, and so is one that has not proven itself yet; the same
 * session behind a new MCP process goes on (its readiness is void, its fence is not).
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { FencedWrite } from "./refuse-write.ts";

interface Standing {
  readonly launch: string;
  readonly session: string;
  readonly isProven: number;
}

const STANDING = `
  SELECT attempt.launch, standing.native_session AS session,
         EXISTS (SELECT 1 FROM readiness AS proof
                  WHERE proof.launch = attempt.launch AND proof.native_session = standing.native_session
                    AND proof.answered_at IS NOT NULL) AS isProven
    FROM attempt JOIN readiness AS standing
      ON standing.launch = attempt.launch AND standing.voided_at IS NULL
   WHERE attempt.task = @task AND attempt.fence = @fence`;

/** `stale_fence` for a session that was replaced, `readiness_pending` for one that is not proven. */
export function refuseOtherSession(reading: Reading, write: FencedWrite, session: string | undefined): void {
  if (session === undefined) return;
  const standing = reading.get<Standing>(STANDING, { task: write.task, fence: write.fence });
  if (standing === undefined) return;
  const { launch } = standing;
  if (standing.session !== session) {
    throw new CodedError(
      "stale_fence",
      `Launch ${launch} goes on in session ${standing.session}, not ${session}.`,
      {
        hint: "Stop this session; the newer one holds the task.",
        fields: { ...write, launch, session, newerSession: standing.session, changed: false },
      },
    );
  }
  if (standing.isProven === 1) return;
  throw new CodedError(
    "readiness_pending",
    `Session ${session} of launch ${launch} has not answered its challenge.`,
    {
      fields: { ...write, launch, session, changed: false },
    },
  );
}
