/**
 * What a holder is told when it claims, renews or reports: its attempt, for how long it may trust
 * it, and whether somebody wants it to stop.
 */
import type { Reading } from "../commit/statements.ts";
import { setting } from "../settings/read-settings.ts";
import { type Attempt, readAttempt } from "./read-attempts.ts";

export interface Hold extends Attempt {
  /** Counted from the start of the request, minus a margin: the holder's clock need not be ours. */
  readonly leaseMs: number;
  readonly cancelRequested: boolean;
  readonly cancelReason: string | null;
}

export function readHold(reading: Reading, attempt: { readonly task: string; readonly fence: number }): Hold {
  const task = reading.get<{ state: string; reason: string | null }>(
    "SELECT state, cancel_reason AS reason FROM task WHERE id = @task",
    { task: attempt.task },
  );
  return {
    ...readAttempt(reading, attempt),
    leaseMs: setting(reading, "task.lease"),
    cancelRequested: task?.state === "cancel_requested",
    cancelReason: task?.reason ?? null,
  };
}
