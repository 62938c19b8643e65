/** findLaunch: the launch that a unique beginning of its id names. */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";

const MOST_CANDIDATES = 10;

/** `not_found`, or `ambiguous_prefix` with the candidates. */
export function findLaunch(reading: Reading, prefix: string): string {
  // "g" comes after every digit of an id. A whole id may be the beginning of another.
  const candidates = reading.all<{ id: string; task: string; state: string }>(
    `SELECT id, task, state FROM launch WHERE id >= @prefix AND id < @prefix || 'g' ORDER BY id LIMIT @limit`,
    { prefix, limit: MOST_CANDIDATES + 1 },
  );
  const [first, ...others] = candidates;
  if (first !== undefined && (others.length === 0 || first.id === prefix)) return first.id;
  if (first === undefined) {
    throw new CodedError("not_found", `There is no launch ${prefix}.`, {
      hint: "swarm-gen launch ls lists the launches.",
      fields: { launch: prefix, changed: false },
    });
  }
  const shown = candidates.slice(0, MOST_CANDIDATES);
  const more = candidates.length > MOST_CANDIDATES ? ", and more" : "";
  throw new CodedError(
    "ambiguous_prefix",
    `${prefix} begins ${shown.map(({ id }) => id).join(", ")}${more}.`,
    {
      fields: { prefix, candidates: shown, changed: false },
    },
  );
}
