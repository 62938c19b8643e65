/**
 * sessionReadiness: may this channel worker be given mail now? LEDGER-4: only what has proven that
 * it is ready is, and only while its session is available.
 *
 * A busy fact that is older than its limit is no fact any more: some interrupts fire no hook. A span
 * in which nobody could report does not count towards its age.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";

/** Why nothing is given now; each passes by itself or ends with the session. */
export type SessionHold =
  | "not_ready"
  | "mcp_not_ready"
  | "session_unknown"
  | "session_busy"
  | "session_ended";

export type SessionReadiness =
  /** `proof`: the digest of the challenge that was answered. */
  | { readonly kind: "available"; readonly launch: string; readonly proof: string }
  | { readonly kind: "held"; readonly because: SessionHold };

interface SessionRow {
  readonly launch: string;
  readonly proof: string | null;
  readonly mcpInstance: string | null;
  readonly mcp: string | null;
  readonly activity: "busy" | "available" | "ended" | null;
  readonly observedAt: number | null;
}

const SESSION = `
  SELECT launch.id AS launch, readiness.challenge_digest AS proof, readiness.mcp_instance AS mcpInstance, health.state AS mcp,
         observation.activity, max(observation.at, coalesce(service.fresh_term_at, 0)) AS observedAt
    FROM launch
    JOIN service
    LEFT JOIN readiness ON readiness.launch = launch.id AND readiness.voided_at IS NULL
         AND readiness.answered_at IS NOT NULL
         AND readiness.actor = launch.actor AND readiness.revision = launch.revision
    LEFT JOIN health ON health.launch = launch.id AND health.part = 'mcp'
    LEFT JOIN observation ON observation.launch = launch.id
   WHERE launch.actor = @actor AND launch.revision = @revision AND launch.state = 'bound'`;

export interface SessionAsked {
  readonly caller: Caller;
  /** The MCP process that fetches. */
  readonly mcpInstance: string | undefined;
  readonly now: number;
}

/** `second_consumer` for another MCP process than the one that proved itself. */
export function sessionReadiness(
  reading: Reading,
  { caller, mcpInstance, now }: SessionAsked,
): SessionReadiness {
  const { actor, revision } = caller;
  const row = reading.get<SessionRow>(SESSION, { actor, revision });
  if (row === undefined || row.proof === null) return { kind: "held", because: "not_ready" };
  if (row.mcpInstance !== mcpInstance) throw secondProcess(row, mcpInstance);
  const because = holdOf(row, now - setting(reading, "worker.busy-limit"));
  return because === null
    ? { kind: "available", launch: row.launch, proof: row.proof }
    : { kind: "held", because };
}

function holdOf({ mcp, activity, observedAt }: SessionRow, busyIsFactSince: number): SessionHold | null {
  if (mcp !== "ready") return "mcp_not_ready";
  switch (activity) {
    case null:
      return "session_unknown";
    case "ended":
      return "session_ended";
    case "busy":
      return observedAt !== null && observedAt <= busyIsFactSince ? null : "session_busy";
    case "available":
      return null;
  }
}

function secondProcess({ launch, mcpInstance }: SessionRow, asking: string | undefined): CodedError {
  return new CodedError(
    "second_consumer",
    `The mail of launch ${launch} is taken by MCP process ${mcpInstance}, not by ${asking ?? "another"}.`,
    { fields: { launch, mcpInstance, changed: false } },
  );
}
