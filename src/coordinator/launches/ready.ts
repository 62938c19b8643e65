/**
 * answerChallenge: the worker's own MCP process proves, with its own enrollment and the nonce that
 * its session was given, that it is ready; its claim is made in the same transaction, and the launch
 * is bound (DISPATCH-1). Nothing else binds one.
 *
 *   out   the hold; a repeat of the nonce gets it again
 *   throws `forbidden` for a wrong nonce or another's launch, `worker_claim_failed` when the task
 *          ended meanwhile, `wrong_state` for a launch that is over or stopping
 *
 * Late is no reason to refuse: an uncertain launch is bound by the same answer. A process or session
 * that came later proves itself for the attempt that is there, and claims nothing.
 */
import { CodedError, invariant } from "../../kernel/errors.ts";
import { type Hold, readHold } from "../attempts/hold.ts";
import { isUncertain, tellResumed } from "../attempts/resumed.ts";
import { startAttempt } from "../attempts/start-attempt.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { readTask } from "../tasks/read-tasks.ts";
import { OFFERED_IN } from "./challenge.ts";
import { sha256Hex } from "./digest.ts";
import { moveLaunch } from "./move-launch.ts";
import { refuseOthersLaunch } from "./own-launch.ts";
import { type Launch, readLaunch } from "./read-launches.ts";
import { standingReadiness } from "./standing-readiness.ts";

export interface ReadyInput {
  readonly launch: string;
  readonly mcpInstance: string;
  readonly nativeSession: string;
  readonly nonce: string;
}

interface Held {
  readonly task: string;
  readonly fence: number;
}

const TAKE_TASK = `
  UPDATE task SET state = 'running', last_fence = last_fence + 1, version = version + 1
   WHERE id = @task AND state = 'open'
  RETURNING last_fence AS fence`;

const ANSWER = `
  UPDATE readiness SET answered_at = @now, task = @task, fence = @fence
   WHERE launch = @launch AND mcp_instance = @mcpInstance AND native_session = @nativeSession
     AND challenge_digest = @challengeDigest AND actor = @actor AND revision = @revision
     AND voided_at IS NULL AND answered_at IS NULL`;

export function answerChallenge(tx: Transaction, caller: Caller, input: ReadyInput): Hold {
  const launch = readLaunch(tx, input.launch);
  refuseOthersLaunch(launch, caller);
  const { nonce, ...process } = input;
  const challenge = { ...process, challengeDigest: sha256Hex(nonce) };
  const answered = refuseWrongNonce(tx, launch, challenge);
  if (answered !== null) return readHold(tx, answered);
  if (!OFFERED_IN.includes(launch.state)) throw overBy(launch);
  const held = ownAttempt(tx, launch) ?? claim(tx, caller, launch);
  const { actor, revision } = caller;
  const marked = tx.run(ANSWER, { ...challenge, ...held, actor, revision, now: tx.now });
  invariant(marked === 1, "DISPATCH-1: the challenge that was just compared is answered once");
  noteSession(tx, caller, input.nativeSession);
  const detail = { ...held, mcpInstance: input.mcpInstance, nativeSession: input.nativeSession };
  if (launch.state === "bound") {
    tx.emit({ type: "launch.proven", entity: launch.launch, payload: detail });
  } else {
    const source = "worker";
    const move = {
      launch: launch.launch,
      from: launch.state,
      to: "bound",
      source,
      reason: null,
      detail,
    } as const;
    invariant(moveLaunch(tx, move), "a launch in whose state a challenge is on offer is bound by its answer");
  }
  return readHold(tx, held);
}

/** The attempt that this challenge was answered with before; null while it is open. */
function refuseWrongNonce(
  tx: Transaction,
  { launch, task }: Launch,
  challenge: Omit<ReadyInput, "nonce"> & { readonly challengeDigest: string },
): Held | null {
  const standing = standingReadiness(tx, launch);
  const isIt =
    standing?.challengeDigest === challenge.challengeDigest &&
    standing.mcpInstance === challenge.mcpInstance &&
    standing.nativeSession === challenge.nativeSession;
  if (!isIt) {
    throw new CodedError("forbidden", `That answers no challenge of launch ${launch} that is on offer.`, {
      hint: "Answer with the newest challenge that this session was given.",
      fields: { launch, task, changed: false },
    });
  }
  if (standing.task === null || standing.fence === null) return null;
  return { task: standing.task, fence: standing.fence };
}

const RENEW = `
  UPDATE attempt SET state = 'running', lease_until = max(lease_until, @now + @leaseMs), renewed_at = @now
   WHERE launch = @launch AND state IN ('running', 'uncertain')`;

/** What this launch claimed before, which lives on in the new process or session. */
function ownAttempt(tx: Transaction, { launch }: Launch): Held | undefined {
  const own = tx.get<Held>(
    "SELECT task, fence FROM attempt WHERE launch = @launch ORDER BY fence DESC LIMIT 1",
    {
      launch,
    },
  );
  if (own === undefined) return undefined;
  const wasUncertain = isUncertain(tx, own);
  tx.run(RENEW, { launch, now: tx.now, leaseMs: setting(tx, "task.lease") });
  if (wasUncertain) tellResumed(tx, own);
  return own;
}

function claim(tx: Transaction, { actor, revision }: Caller, { launch, task }: Launch): Held {
  const taken = tx.get<{ fence: number }>(TAKE_TASK, { task });
  if (taken === undefined) {
    const { state } = readTask(tx, task);
    throw new CodedError("worker_claim_failed", `Task ${task} of launch ${launch} is ${state}.`, {
      fields: { launch, task, state, changed: false },
    });
  }
  startAttempt(tx, { task, fence: taken.fence, actor, revision, launch });
  return { task, fence: taken.fence };
}

function noteSession(tx: Transaction, { actor, revision }: Caller, session: string): void {
  tx.run(
    `INSERT INTO native_session (actor, revision, session, first_seen_at)
     VALUES (@actor, @revision, @session, @now) ON CONFLICT DO NOTHING`,
    { actor, revision, session, now: tx.now },
  );
}

function overBy({ launch, task, state }: Launch): CodedError {
  return new CodedError("wrong_state", `Launch ${launch} is ${state}; it waits for no answer.`, {
    hint: "Stop: this launch does not go on.",
    fields: { launch, task, state, changed: false },
  });
}
