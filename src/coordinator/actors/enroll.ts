/**
 * enroll: an actor gets a capability. The client makes the secret and sends its digest, so the
 * secret is never in a request, an answer or the ledger.
 *
 * An actor that is enrolled again gets the next revision; the one before is superseded in the same
 * step, and never comes back. A digest serves one enrollment for ever: the same request again,
 * under whatever command id, is answered with the enrollment that it made.
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

/**
 * `not_found` for an actor that does not exist; `wrong_state` for one of another kind, for the worker
 * of a launch that is not over, and for a digest that serves another enrollment, or served one.
 */
export function enroll(tx: Transaction, input: EnrollInput): Enrollment {
  const { kind, label, consumer, capabilityDigest } = input;
  const known = readByDigest(tx, capabilityDigest);
  if (known !== null && isMadeBy(known, input)) return enrollmentOf(known);
  const actor = input.actor ?? `${kind[0]}-${tx.ids.hex(6)}`;
  if (input.actor === undefined) addActor(tx, { actor, kind, label });
  else {
    refuseOtherKind(tx, actor, kind);
    refuseLaunched(tx, actor);
  }
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

/** `wrong_state` for a digest that serves an enrollment, or served one. */
export function enrollActor(
  tx: Transaction,
  { capabilityDigest, ...enrollment }: Omit<Enrollment, "revision"> & { readonly capabilityDigest: string },
): Enrollment {
  const { actor, consumer } = enrollment;
  refuseKnown(readByDigest(tx, capabilityDigest));
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

interface KnownEnrollment extends Enrollment {
  readonly state: "active" | "superseded" | "revoked";
}

function readByDigest(tx: Transaction, capabilityDigest: string): KnownEnrollment | null {
  const row = tx.get<KnownEnrollment>(
    `SELECT actor, kind, label, revision, consumer, state FROM enrollment
       JOIN actor ON actor.id = enrollment.actor WHERE capability_digest = @capabilityDigest`,
    { capabilityDigest },
  );
  return row ?? null;
}

function isMadeBy(known: KnownEnrollment, { actor, kind, label, consumer }: EnrollInput): boolean {
  const isSameActor = actor === undefined ? known.label === label : known.actor === actor;
  return known.state === "active" && isSameActor && known.kind === kind && known.consumer === consumer;
}

function enrollmentOf({ state: _state, ...enrollment }: KnownEnrollment): Enrollment {
  return enrollment;
}

function refuseKnown(known: KnownEnrollment | null): void {
  if (known === null) return;
  const { actor, revision, state } = known;
  throw new CodedError("wrong_state", `That capability serves ${actor}, revision ${revision} (${state}).`, {
    hint: "Make a new secret for each enrollment.",
    fields: { actor, revision, state, changed: false },
  });
}

/** Its wrapper, MCP process and hooks have the one capability that they were started with. */
function refuseLaunched(tx: Transaction, actor: string): void {
  const launch = tx.get<{ id: string; task: string; state: string }>(
    `SELECT id, task, state FROM launch
      WHERE actor = @actor AND state NOT IN ('released', 'failed', 'abandoned')`,
    { actor },
  );
  if (launch === undefined) return;
  const { id, task, state } = launch;
  throw new CodedError("wrong_state", `${actor} is the worker of launch ${id}, which is ${state}.`, {
    hint: "Stop the launch; its next one has a worker of its own.",
    fields: { actor, launch: id, task, state, changed: false },
  });
}

function refuseOtherKind(tx: Transaction, actor: string, kind: string): void {
  const row = tx.get<{ kind: string }>("SELECT kind FROM actor WHERE id = @actor", { actor });
  if (row === undefined) {
    throw new CodedError("not_found", `There is no actor ${actor}.`, {
      hint: "swarm-gen actor ls lists the actors.",
      fields: { actor, changed: false },
    });
  }
  if (row.kind === kind) return;
  throw new CodedError("wrong_state", `${actor} is a ${row.kind}, not a ${kind}.`, {
    hint: "Enroll a new actor; one keeps its kind for ever.",
    fields: { actor, kind: row.kind, changed: false },
  });
}
