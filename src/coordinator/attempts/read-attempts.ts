/** Attempts as every surface shows them. */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { AttemptState } from "./attempt-machine.ts";

export interface Attempt {
  readonly task: string;
  readonly fence: number;
  readonly actor: string;
  readonly revision: number;
  readonly launch: string | null;
  readonly state: AttemptState;
  /** ISO 8601, UTC, as every instant. */
  readonly startedAt: string;
  readonly leaseUntil: string;
  readonly progressAt: string;
  readonly progressNote: string | null;
  readonly progressTimeoutMs: number;
  readonly endedAt: string | null;
  readonly result: unknown;
}

interface AttemptRow {
  readonly task: string;
  readonly fence: number;
  readonly actor: string;
  readonly revision: number;
  readonly launch: string | null;
  readonly state: AttemptState;
  readonly started_at: number;
  readonly lease_until: number;
  readonly progress_at: number;
  readonly progress_note: string | null;
  readonly progress_timeout_ms: number;
  readonly ended_at: number | null;
  readonly result: string | null;
}

/** `not_found`. */
export function readAttempt(
  reading: Reading,
  { task, fence }: { readonly task: string; readonly fence: number },
): Attempt {
  const row = reading.get<AttemptRow>("SELECT * FROM attempt WHERE task = @task AND fence = @fence", {
    task,
    fence,
  });
  if (row === undefined) {
    throw new CodedError("not_found", `Task ${task} has no attempt with fence ${fence}.`, {
      fields: { task, fence, changed: false },
    });
  }
  return attemptOf(row);
}

/** The newest attempts of a task, newest first, at most `limit`. */
export function readAttempts(
  reading: Reading,
  { task, limit }: { readonly task: string; readonly limit: number },
): Attempt[] {
  return reading
    .all<AttemptRow>("SELECT * FROM attempt WHERE task = @task ORDER BY fence DESC LIMIT @limit", {
      task,
      limit,
    })
    .map(attemptOf);
}

/** How alarms and events name an attempt. */
export function attemptName({ task, fence }: { readonly task: string; readonly fence: number }): string {
  return `${task}:${fence}`;
}

/** The attempt that holds a task, running or uncertain; null if nobody does. */
export function readHolder(reading: Reading, task: string): Attempt | null {
  const row = reading.get<AttemptRow>(
    "SELECT * FROM attempt WHERE task = @task AND state IN ('running', 'uncertain')",
    { task },
  );
  return row === undefined ? null : attemptOf(row);
}

function attemptOf(row: AttemptRow): Attempt {
  return {
    task: row.task,
    fence: row.fence,
    actor: row.actor,
    revision: row.revision,
    launch: row.launch,
    state: row.state,
    startedAt: new Date(row.started_at).toISOString(),
    leaseUntil: new Date(row.lease_until).toISOString(),
    progressAt: new Date(row.progress_at).toISOString(),
    progressNote: row.progress_note,
    progressTimeoutMs: row.progress_timeout_ms,
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    result: row.result === null ? null : JSON.parse(row.result),
  };
}
