/**
 * activate: makes a generation the current one of a profile, by one row.
 *
 *   out  changed: true   a new activation row, with the next number
 *        changed: false  it is the current one already; nothing was written
 *
 * Admission is read in the transaction that writes the row (GATE-1); while it is closed the flip is
 * refused. Pins move with it: the current generation and the
 * last few before it are pinned, what falls out of that history is not. The row is the truth; the
 * link in profiles/ is for people and is rewritten after it.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { GenerationId } from "../identity/object-id.ts";
import {
  type ActivationRow,
  currentActivation,
  insertActivation,
  precedingActivation,
  readActivation,
} from "../index/activations.ts";
import type { Index } from "../index/open-index.ts";
import { requirePinnable } from "../index/pins.ts";
import { moveScopes } from "../index/scopes.ts";
import type { ActivateRequest, ActivateResult, RollbackRequest } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { movePins } from "./activation-pins.ts";
import { requireOpenAdmission } from "./admission.ts";
import { requireProfileName, writeProfileLink } from "./profile-link.ts";

export function activate(context: StoreContext, request: ActivateRequest): ActivateResult {
  const { profile, generation, by } = request;
  requireProfileName(profile);
  const db = context.writing();
  const result = db
    .transaction(() => {
      requireOpenAdmission(db, profile);
      const current = currentActivation(db, profile);
      if (current?.generation === generation) return unchanged(db, current);
      return flip(context, db, { profile, generation, by, kind: "activate", position: null });
    })
    .immediate();
  context.failpoints.hit("activate:committed");
  writeProfileLink(context, db, profile);
  return result;
}

/**
 * rollback: activates the generation that was current before the current one, or that of
 * activation `number`. Repeated, it goes further back: a rolled-back row remembers its place in
 * the history, so the second rollback does not return to where the first one came from.
 */
export function rollback(context: StoreContext, request: RollbackRequest): ActivateResult {
  const { profile, by } = request;
  requireProfileName(profile);
  const db = context.writing();
  const result = db
    .transaction(() => {
      requireOpenAdmission(db, profile);
      const current = currentActivation(db, profile);
      const target = rollbackTarget(db, request, current);
      if (current !== null && current.generation === target.generation) return unchanged(db, current);
      const { generation, position } = target;
      return flip(context, db, { profile, generation, by, kind: "rollback", position });
    })
    .immediate();
  context.failpoints.hit("rollback:committed");
  writeProfileLink(context, db, profile);
  return result;
}

function rollbackTarget(
  db: Index,
  { profile, number }: RollbackRequest,
  current: ActivationRow | null,
): ActivationRow {
  const target =
    number === undefined ? current && precedingActivation(db, current) : readActivation(db, profile, number);
  if (target !== null) return target;
  const what = number === undefined ? "an activation before the current one" : `an activation @${number}`;
  throw new CodedError("not_found", `Profile "${profile}" has not got ${what}.`, {
    hint: "swarm-gen history lists the activations.",
    fields: { profile, ...(number === undefined ? {} : { activation: number }) },
  });
}

interface Flip {
  readonly profile: string;
  readonly generation: GenerationId;
  readonly by: string;
  readonly kind: "activate" | "rollback";
  /** Null: the new row's own number. */
  readonly position: number | null;
}

function flip(
  context: StoreContext,
  db: Index,
  { profile, generation, by, kind, position }: Flip,
): ActivateResult {
  requirePinnable(db, generation);
  requireTree(context, generation);
  const before = currentActivation(db, profile);
  const number = (before?.number ?? 0) + 1;
  const at = context.clock.now();
  insertActivation(db, { profile, number, generation, at, by, kind, position: position ?? number });
  context.failpoints.hit("activate:row-written");
  movePins(context, db, { profile, at });
  // A scope follows its profile: its next owner runs from the same generation as its next launches.
  moveScopes(db, { profile, generation });
  context.failpoints.hit("activate:before-commit");
  return { activation: number, generation, previous: before?.generation ?? null, changed: true };
}

/** What is current must at least be there; whether it is whole is what verification tells. */
function requireTree({ fs, layout }: StoreContext, generation: GenerationId): void {
  if (fs.lstatSync(layout.generation(generation), { throwIfNoEntry: false })?.isDirectory()) return;
  throw new CodedError("generation_damaged", `The tree of generation ${generation} is gone.`, {
    hint: `swarm-gen repair ${generation} brings it back from good copies.`,
    fields: { generation, changed: false },
  });
}

function unchanged(db: Index, current: ActivationRow): ActivateResult {
  const { number: activation, generation } = current;
  const previous = precedingActivation(db, current)?.generation ?? null;
  return { activation, generation, previous, changed: false };
}
