/**
 * authenticate: whose capability is it?
 *
 *   out   a caller         the enrollment is active
 *         null             nobody was ever enrolled with it
 *   throws `enrollment_revoked` for one that was revoked or superseded: terminal for its holder
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller, Consumer } from "../commit/transaction.ts";

/** The actors that every ledger has from its beginning. */
export const OPERATOR = "operator";
export const OWNER = "owner";

interface Row {
  readonly actor: string;
  readonly kind: "owner" | "operator" | "lead" | "worker";
  readonly revision: number;
  readonly consumer: Consumer;
  readonly state: "active" | "superseded" | "revoked";
}

/** `capabilityDigest`: SHA-256 of the secret, hex. */
export function authenticate(reading: Reading, capabilityDigest: string): Caller | null {
  const row = reading.get<Row>(
    `SELECT actor, kind, revision, consumer, state FROM enrollment
       JOIN actor ON actor.id = enrollment.actor WHERE capability_digest = @capabilityDigest`,
    { capabilityDigest },
  );
  if (row === undefined) return null;
  const { actor, revision, consumer, state } = row;
  if (state !== "active") {
    throw new CodedError("enrollment_revoked", `Revision ${revision} of ${actor} was ${state}.`, {
      fields: { actor, revision, state, changed: false },
    });
  }
  return { actor, kind: row.kind === "owner" ? "launcher" : row.kind, revision, consumer };
}
