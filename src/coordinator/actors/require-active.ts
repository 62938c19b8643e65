/**
 * requireActive: is the caller's enrollment still the actor's active one, in this very transaction?
 *
 * A request is authenticated when it arrives; a revocation may be committed before it is applied.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";

/** `enrollment_revoked` (LEDGER-2). */
export function requireActive(reading: Reading, { actor, revision }: Caller): void {
  const row = reading.get<{ state: string }>(
    "SELECT state FROM enrollment WHERE actor = @actor AND revision = @revision",
    { actor, revision },
  );
  if (row?.state === "active") return;
  const state = row?.state ?? "never there";
  throw new CodedError("enrollment_revoked", `Revision ${revision} of ${actor} was ${state}.`, {
    fields: { actor, revision, state, changed: false },
  });
}
