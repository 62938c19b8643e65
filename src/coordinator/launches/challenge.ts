/**
 * issueChallenge: one challenge for an MCP process in a native session, which makes void what an
 * older process or session had proven. Only its digest comes here.
 *
 *   out   the readiness; the challenge that stands changes nothing when it comes again
 *   throws `wrong_state` for a launch whose wrapper has not come, or that is over, and
 *          `idempotency_conflict` for a challenge that is void: a lost plaintext means a new
 *          challenge, not a repeat
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Transaction } from "../commit/transaction.ts";
import type { LaunchState } from "./launch-machine.ts";
import { readLaunch } from "./read-launches.ts";
import { type Readiness, readReadiness } from "./read-reports.ts";
import { standingReadiness } from "./standing-readiness.ts";

export interface ChallengeInput {
  readonly launch: string;
  readonly mcpInstance: string;
  readonly nativeSession: string;
  /** SHA-256 of the nonce, hex. */
  readonly challengeDigest: string;
}

/** Where a challenge is answered; in `bound`, by a process or session that came later. */
export const OFFERED_IN: readonly LaunchState[] = [
  "awaiting_worker_ready",
  "startup_blocked",
  "uncertain",
  "bound",
];

const VOID = "UPDATE readiness SET voided_at = @now WHERE launch = @launch AND voided_at IS NULL";

const ISSUE = `
  INSERT INTO readiness (launch, mcp_instance, native_session, actor, revision, generation,
                         challenge_digest, issued_at)
  SELECT id, @mcpInstance, @nativeSession, actor, revision, generation, @challengeDigest, @now
    FROM launch WHERE id = @launch
      ON CONFLICT DO NOTHING`;

// A process that restarts for ever must not fill the ledger. What proves the session stays, whatever its age.
const FORGET = `
  DELETE FROM readiness
   WHERE launch = @launch AND voided_at IS NOT NULL
     AND challenge_digest NOT IN (SELECT challenge_digest FROM readiness WHERE launch = @launch
                                   ORDER BY issued_at DESC, rowid DESC LIMIT 50)
     AND challenge_digest IS NOT (SELECT challenge_digest FROM readiness
                                   WHERE launch = @launch AND native_session = @nativeSession
                                     AND answered_at IS NOT NULL
                                   ORDER BY answered_at DESC LIMIT 1)`;

export function issueChallenge(tx: Transaction, _caller: unknown, input: ChallengeInput): Readiness {
  const { launch, mcpInstance, nativeSession, challengeDigest } = input;
  const { state, task } = readLaunch(tx, launch);
  if (!OFFERED_IN.includes(state)) {
    throw new CodedError("wrong_state", `Launch ${launch} is ${state}; it has no worker to challenge.`, {
      fields: { launch, task, state, changed: false },
    });
  }
  const standing = standingReadiness(tx, launch);
  const isSame =
    standing?.mcpInstance === mcpInstance &&
    standing.nativeSession === nativeSession &&
    standing.challengeDigest === challengeDigest;
  if (isSame) return readReadiness(tx, launch);
  tx.run(VOID, { launch, now: tx.now });
  if (tx.run(ISSUE, { ...input, now: tx.now }) === 0) {
    throw new CodedError("idempotency_conflict", `That challenge of launch ${launch} was made before.`, {
      hint: "Make a new nonce for each challenge.",
      fields: { launch, task, changed: false },
    });
  }
  tx.run(FORGET, { launch, nativeSession });
  tx.emit({ type: "launch.challenged", entity: launch, payload: { mcpInstance, nativeSession } });
  return readReadiness(tx, launch);
}
