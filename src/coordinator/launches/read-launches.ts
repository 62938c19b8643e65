/** Intents and launches as every surface shows them. A launch's row is its receipt. */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Selection } from "./create-intent.ts";
import type { LaunchState } from "./launch-machine.ts";

export interface Intent {
  readonly intent: string;
  readonly fingerprint: string;
  readonly task: string;
  readonly requested: Selection;
  readonly resolved: Selection;
  readonly origins: Readonly<Record<string, string>>;
  readonly createdBy: string;
  readonly createdAt: string;
}

/** `not_found`. */
export function readIntent(reading: Reading, intent: string): Intent {
  const row = reading.get<IntentRow>("SELECT * FROM intent WHERE id = @intent", { intent });
  if (row === undefined) {
    throw new CodedError("not_found", `There is no intent ${intent}.`, {
      fields: { intent, changed: false },
    });
  }
  return intentOf(row);
}

export type IntentRow = Readonly<
  Record<"id" | "fingerprint" | "task" | "requested" | "resolved" | "origins" | "created_by", string>
> & { readonly created_at: number };

export function intentOf(row: IntentRow): Intent {
  return {
    intent: row.id,
    fingerprint: row.fingerprint,
    task: row.task,
    requested: JSON.parse(row.requested) as Selection,
    resolved: JSON.parse(row.resolved) as Selection,
    origins: JSON.parse(row.origins) as Record<string, string>,
    createdBy: row.created_by,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

export interface Launch {
  readonly launch: string;
  readonly intent: string;
  readonly task: string;
  readonly state: LaunchState;
  readonly reason: string | null;
  /** The worker and its enrollment's revision, once it is provisioned. */
  readonly actor: string | null;
  readonly revision: number | null;
  readonly generation: string;
  readonly ownerGeneration: string;
  readonly endpoint: string;
  readonly scopeInstance: string;
  readonly harness: string;
  readonly harnessVersion: string | null;
  readonly harnessDigest: string | null;
  readonly startup: "approved" | "development";
  readonly mode: "interactive" | "stream";
  readonly model: string | null;
  readonly effort: string | null;
  readonly reportedModel: string | null;
  readonly argv: readonly string[];
  /** Names alone, never values. */
  readonly envNames: readonly string[];
  readonly cwd: string;
  readonly hostKind: string;
  readonly hostSocket: string | null;
  readonly hostHandle: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly deadlineAt: string | null;
  readonly endedAt: string | null;
}

interface LaunchRow
  extends Omit<Launch, "argv" | "envNames" | "createdAt" | "changedAt" | "deadlineAt" | "endedAt"> {
  readonly argv: string;
  readonly envNames: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly deadlineAt: number | null;
  readonly endedAt: number | null;
}

const READ = `
  SELECT id AS launch, intent, task, state, reason, actor, revision, generation,
         owner_generation AS ownerGeneration, endpoint, scope_instance AS scopeInstance, harness,
         harness_version AS harnessVersion, harness_digest AS harnessDigest, startup, mode, model, effort,
         reported_model AS reportedModel, argv, env_names AS envNames, cwd, host_kind AS hostKind,
         host_socket AS hostSocket, host_handle AS hostHandle, created_at AS createdAt,
         changed_at AS changedAt, deadline_at AS deadlineAt, ended_at AS endedAt
    FROM launch WHERE id = @launch`;

/** `not_found`. */
export function readLaunch(reading: Reading, launch: string): Launch {
  const row = reading.get<LaunchRow>(READ, { launch });
  if (row === undefined) {
    throw new CodedError("not_found", `There is no launch ${launch}.`, {
      hint: "swarm-gen launch ls lists the launches.",
      fields: { launch, changed: false },
    });
  }
  return {
    ...row,
    argv: JSON.parse(row.argv) as string[],
    envNames: JSON.parse(row.envNames) as string[],
    createdAt: new Date(row.createdAt).toISOString(),
    changedAt: new Date(row.changedAt).toISOString(),
    deadlineAt: row.deadlineAt === null ? null : new Date(row.deadlineAt).toISOString(),
    endedAt: row.endedAt === null ? null : new Date(row.endedAt).toISOString(),
  };
}
