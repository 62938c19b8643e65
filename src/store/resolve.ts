/**
 * resolve: what a person types for a generation, as its full id.
 *
 *   <digits>     an id or a unique prefix of one; `sha256:` may stand before it
 *   @12          the generation of activation 12 of the profile
 *   @current     the profile's current one
 *   @previous    the one that a rollback would return to
 */
import { CodedError } from "../kernel/errors.ts";
import type { GenerationId } from "./identity/object-id.ts";
import { currentActivation, precedingActivation, readActivation } from "./index/activations.ts";
import { wasCollected } from "./index/audit.ts";
import { findGenerations, readGeneration } from "./index/generations.ts";
import type { Index } from "./index/open-index.ts";
import type { StoreContext } from "./store-context.ts";

const CANDIDATES_SHOWN = 10;

export function resolve(context: StoreContext, reference: string, profile: string): GenerationId {
  const db = context.reading();
  if (reference.startsWith("@")) return resolveActivation(db, reference, profile);
  const prefix = reference.replace(/^sha256:/, "").toLowerCase();
  if (!/^[0-9a-f]{1,64}$/.test(prefix)) {
    throw new CodedError(
      "invalid_input",
      `"${reference}" is no generation: it must be hex digits, or @ and a number.`,
      {
        hint: "Use an id or a unique prefix of one, @12, @current or @previous.",
        fields: { reference },
      },
    );
  }
  const found = findGenerations(db, prefix, CANDIDATES_SHOWN + 1);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only;
  if (found.length === 0)
    throw notFound(reference, wasCollected(db, prefix) ? "was collected" : "is not in this store");
  const candidates = found.slice(0, CANDIDATES_SHOWN);
  const more = found.length > CANDIDATES_SHOWN ? " and more" : "";
  throw new CodedError(
    "ambiguous_prefix",
    `"${reference}" begins several ids: ${candidates.join(", ")}${more}.`,
    {
      fields: { reference, candidates },
    },
  );
}

function resolveActivation(db: Index, reference: string, profile: string): GenerationId {
  const current = currentActivation(db, profile);
  const number = /^@(\d{1,15})$/.exec(reference)?.[1];
  if (number === undefined && reference !== "@current" && reference !== "@previous") {
    throw new CodedError("invalid_input", `"${reference}" is no generation.`, {
      hint: "After @ stands a number, or current, or previous.",
      fields: { reference },
    });
  }
  const row =
    number !== undefined
      ? readActivation(db, profile, Number(number))
      : reference === "@current"
        ? current
        : current && precedingActivation(db, current);
  if (row === null) throw notFound(reference, `names no activation of profile "${profile}"`);
  // History outlives trees, so an activation may name one that is gone.
  if (readGeneration(db, row.generation) === null)
    throw notFound(reference, `was ${row.generation}, which was collected`);
  return row.generation;
}

function notFound(reference: string, why: string): CodedError {
  return new CodedError("generation_not_found", `${reference} ${why}.`, {
    hint: reference.startsWith("@")
      ? "swarm-gen history lists the activations."
      : "swarm-gen ls lists the generations.",
    fields: { reference },
  });
}
