/** The one challenge of a launch that is not void: on offer, or answered and standing. */
import type { Reading } from "../commit/statements.ts";

export interface Standing {
  readonly mcpInstance: string;
  readonly nativeSession: string;
  readonly challengeDigest: string;
  readonly issuedAt: number;
  readonly answeredAt: number | null;
  readonly task: string | null;
  readonly fence: number | null;
}

const STANDING = `
  SELECT mcp_instance AS mcpInstance, native_session AS nativeSession, challenge_digest AS challengeDigest,
         issued_at AS issuedAt, answered_at AS answeredAt, task, fence
    FROM readiness WHERE launch = @launch AND voided_at IS NULL`;

export function standingReadiness(reading: Reading, launch: string): Standing | undefined {
  return reading.get<Standing>(STANDING, { launch });
}

export function isReadinessStanding(reading: Reading, launch: string): boolean {
  const standing = standingReadiness(reading, launch);
  return standing !== undefined && standing.answeredAt !== null;
}
