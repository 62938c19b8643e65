/** What may not begin while an operator holds the scope asks here. */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";

/** Throws `scope_paused`, naming holder and reason. */
export function refusePaused(reading: Reading): void {
  const row = reading.get<{ heldBy: string; reason: string; since: number }>(
    "SELECT held_by AS heldBy, reason, since FROM pause",
  );
  if (row === undefined) return;
  const since = new Date(row.since).toISOString();
  throw new CodedError("scope_paused", `${row.heldBy} holds the scope since ${since}: ${row.reason}.`, {
    hint: "swarm-gen resume",
    fields: { heldBy: row.heldBy, reason: row.reason, since, changed: false },
  });
}
