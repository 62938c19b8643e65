/** Makes the operator and the owner actors of their ledger, and holds their enrollments to their keys. */
import { OPERATOR, OWNER } from "../../coordinator/actors/authenticate.ts";
import { addActor, enrollActor } from "../../coordinator/actors/enroll.ts";
import type { Transaction } from "../../coordinator/commit/transaction.ts";

export interface KeyDigests {
  readonly operator: string;
  readonly launcher: string;
}

/** Changes nothing where both are enrolled with these digests; a key that was made anew gets a new revision. */
export function enrollKeys(tx: Transaction, { operator, launcher }: KeyDigests): void {
  ensureEnrolled(tx, { actor: OPERATOR, kind: "operator", label: "operator", digest: operator });
  ensureEnrolled(tx, { actor: OWNER, kind: "owner", label: "owner", digest: launcher });
}

interface KeyHolder {
  readonly actor: string;
  readonly kind: "operator" | "owner";
  readonly label: string;
  readonly digest: string;
}

function ensureEnrolled(tx: Transaction, { actor, kind, label, digest }: KeyHolder): void {
  const active = tx.get<{ digest: string }>(
    "SELECT capability_digest AS digest FROM enrollment WHERE actor = @actor AND state = 'active'",
    { actor },
  );
  if (active?.digest === digest) return;
  if (tx.get("SELECT 1 FROM actor WHERE id = @actor", { actor }) === undefined) {
    addActor(tx, { actor, kind, label });
  }
  enrollActor(tx, { actor, kind, label, consumer: "script", capabilityDigest: digest });
}
