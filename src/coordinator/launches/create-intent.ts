/**
 * createIntent: what somebody asked to be run, put down once and never changed (LEDGER-5).
 *
 *   in    the id that the requester made, task, requested and resolved selection, origins
 *   out   the intent; the same id with the same request is the same intent, with what was resolved
 *         the first time
 *   throws `idempotency_conflict` naming what differs, `not_found` for task or requester
 *
 * The fingerprint covers what was requested. What was resolved comes from settings, and a default
 * that changed meanwhile changes no intent.
 */
import { type CanonicalValue, canonicalBytes } from "../../kernel/canonical-json.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { Transaction } from "../commit/transaction.ts";
import { findTask } from "../tasks/find-task.ts";
import { readTask } from "../tasks/read-tasks.ts";
import { sha256Hex } from "./digest.ts";
import { type Intent, readIntent } from "./read-launches.ts";

export interface CreateIntentInput {
  readonly intent: string;
  readonly task: string;
  /** The actor that asked; alarms go to its inbox. */
  readonly requestedBy: string;
  /** Only what was named; an absent value is a default's. */
  readonly requested: Selection;
  readonly resolved: Selection;
  /** Where each resolved value comes from. */
  readonly origins: Readonly<Record<string, string>>;
}

export type Selection = Readonly<Record<string, CanonicalValue>>;

const CREATE = `
  INSERT INTO intent (id, fingerprint, task, requested, resolved, origins, created_by, created_at)
  SELECT @intent, @fingerprint, @task, @requested, @resolved, @origins, id, @now
    FROM actor WHERE id = @requestedBy`;

export function createIntent(tx: Transaction, _caller: unknown, input: CreateIntentInput): Intent {
  const { intent, requested, requestedBy } = input;
  const task = findTask(tx, input.task);
  const fingerprint = sha256Hex(canonicalBytes({ task, requested }));
  const known = tx.get<{ fingerprint: string; task: string; requested: string }>(
    "SELECT fingerprint, task, requested FROM intent WHERE id = @intent",
    { intent },
  );
  if (known !== undefined) {
    if (known.fingerprint === fingerprint) return readIntent(tx, intent);
    throw conflict(
      intent,
      { ...(JSON.parse(known.requested) as Selection), task: known.task },
      { ...requested, task },
    );
  }
  readTask(tx, task);
  const created = tx.run(CREATE, {
    intent,
    fingerprint,
    task,
    requestedBy,
    requested: JSON.stringify(requested),
    resolved: JSON.stringify(input.resolved),
    origins: JSON.stringify(input.origins),
    now: tx.now,
  });
  if (created === 0) {
    throw new CodedError("not_found", `There is no actor ${requestedBy}.`, {
      fields: { actor: requestedBy, intent, task, changed: false },
    });
  }
  tx.emit({ type: "intent.created", entity: intent, payload: { task, requestedBy } });
  return readIntent(tx, intent);
}

function conflict(intent: string, before: Selection, now: Selection): CodedError {
  const text = (selection: Selection, key: string) => JSON.stringify(selection[key] ?? null);
  const differing = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((key) => text(before, key) !== text(now, key))
    .toSorted();
  return new CodedError(
    "idempotency_conflict",
    `Intent ${intent} was made before with another ${differing.join(", ")}.`,
    { fields: { intent, task: now.task, differing, changed: false } },
  );
}
