/**
 * Which native session may write for a launched worker: the one that stands for readiness now. A
 * session that was replaced is refused, and so is one that has not proven itself yet; the same
 * session behind a new MCP process goes on (its readiness is void, its fence is not). A worker that
 * names no session is refused too, or an old session would only have to keep its name to itself.
 *
 * A claim without a launch has no session. Whose attempt it is not is told so elsewhere.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import type { FencedWrite } from "./refuse-write.ts";

export interface SessionWrite extends FencedWrite {
  readonly session: string | undefined;
}

// Asked for by itself: most attempts are scripts', and for them this is all there is to look at.
const LAUNCH = `
  SELECT launch FROM attempt WHERE task = @task AND fence = @fence AND actor = @actor`;

interface Standing {
  readonly newest: string;
  readonly isProven: number;
}

const STANDING = `
  SELECT standing.native_session AS newest,
         EXISTS (SELECT 1 FROM readiness AS proof
                  WHERE proof.launch = @launch AND proof.native_session = standing.native_session
                    AND proof.answered_at IS NOT NULL) AS isProven
    FROM readiness AS standing WHERE standing.launch = @launch AND standing.voided_at IS NULL`;

/**
 * `stale_fence` for a session that was replaced, `readiness_pending` for one that is not proven,
 * `invalid_input` where a launched worker names none.
 */
export function refuseOtherSession(
  reading: Reading,
  { actor }: Caller,
  { session, ...write }: SessionWrite,
): void {
  const launch = reading.get<{ launch: string | null }>(LAUNCH, { ...write, actor })?.launch ?? null;
  if (launch === null) return;
  if (session === undefined) {
    throw new CodedError("invalid_input", `A write for launch ${launch} names its native session.`, {
      hint: "Name the harness's session that reports, with --native-session.",
      fields: { ...write, path: "nativeSession", launch, changed: false },
    });
  }
  const standing = reading.get<Standing>(STANDING, { launch });
  if (standing === undefined) return;
  const { newest, isProven } = standing;
  if (newest !== session) {
    throw new CodedError("stale_fence", `Launch ${launch} goes on in session ${newest}, not ${session}.`, {
      hint: "Stop this session; the newer one holds the task.",
      fields: { ...write, launch, session, newerSession: newest, changed: false },
    });
  }
  if (isProven === 1) return;
  throw new CodedError(
    "readiness_pending",
    `Session ${session} of launch ${launch} has not answered its challenge.`,
    {
      fields: { ...write, launch, session, changed: false },
    },
  );
}
