/**
 * enroll: an actor gets a capability. The client makes the secret and sends its digest, so the
 * secret is never in a request, an answer or the ledger.
 *
 * An actor that is enrolled again gets the next revision; the one before is superseded in the same
 * step, and never comes back.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Consumer, Transaction } from "../commit/transaction.ts";

export interface EnrollInput {
  /** An actor to enroll again; absent makes a new one. */
  readonly actor?: string | undefined;
  readonly kind: "lead" | "worker";
  readonly label: string;
  readonly consumer: Consumer;
  /** SHA-256 of the secret, hex. */
  readonly capabilityDigest: string;
}

export interface Enrollment {
  readonly actor: string;
  readonly kind: "owner" | "operator" | "lead" | "worker";
  readonly label: string;
  readonly revision: number;
  readonly consumer: Consumer;
}

/** `not_found` for an actor that does not exist; `wrong_state` for one of another kind. */
export function enroll(tx: Transaction, input: EnrollInput): Enrollment {
  const { kind, label, consumer, capabilityDigest } = input;
  const actor = input.actor ?? `${kind[0]}-${tx.ids.hex(6)}`;
  if (input.actor === undefined) addActor(tx, { actor, kind, label });
  else refuseOtherKind(tx, actor, kind);
  return enrollActor(tx, { actor, kind, label, consumer, capabilityDigest });
}

/** Makes an actor and its first revision; for those that every ledger has from its beginning too. */
export function addActor(
  tx: Pick<Transaction, "run" | "now">,
  { actor, kind, label }: Pick<Enrollment, "actor" | "kind" | "label">,
): void {
  tx.run("INSERT INTO actor (id, kind, label, created_at) VALUES (@actor, @kind, @label, @now)", {
    actor,
    kind,
    label,
    now: tx.now,
  });
}

export function enrollActor(
  tx: Transaction,
  { capabilityDigest, ...enrollment }: Omit<Enrollment, "revision"> & { readonly capabilityDigest: string },
): Enrollment {
  const { actor, consumer } = enrollment;
  tx.run(
    `UPDATE enrollment SET state = 'superseded', ended_at = @now WHERE actor = @actor AND state = 'active'`,
    { actor, now: tx.now },
  );
  const row = tx.get<{ revision: number }>(
    `INSERT INTO enrollment (actor, revision, consumer, capability_digest, state, created_at)
     SELECT @actor, coalesce(max(revision), 0) + 1, @consumer, @capabilityDigest, 'active', @now
       FROM enrollment WHERE actor = @actor
     RETURNING revision`,
    { actor, consumer, capabilityDigest, now: tx.now },
  );
  const revision = row?.revision ?? 0;
  tx.emit({ type: "actor.enrolled", entity: actor, payload: { revision, consumer } });
  return { ...enrollment, revision };
}

function refuseOtherKind(tx: Transaction, actor: string, kind: string): void {
  const row = tx.get<{ kind: string }>("SELECT kind FROM actor WHERE id = @actor", { actor });
  if (row === undefined) {
    throw new CodedError("not_found", `There is no actor ${actor}.`, { fields: { actor, changed: false } });
  }
  if (row.kind === kind) return;
  throw new CodedError("wrong_state", `${actor} is a ${row.kind}, not a ${kind}.`, {
    hint: "Enroll a new actor; one keeps its kind for ever.",
    fields: { actor, kind: row.kind, changed: false },
  });
}
