/**
 * onlyCandidate: what a unique beginning of an id names, for every kind of thing that has ids.
 *
 * A whole id wins over those that it begins. Callers ask for one more candidate than are shown.
 */
import { CodedError } from "../../kernel/errors.ts";

export const MOST_CANDIDATES = 10;

export interface Candidate {
  readonly id: string;
}

export interface Named {
  /** `task`, `message`: the noun in sentences, and the field of the refusal. */
  readonly noun: string;
  readonly prefix: string;
  /** The command that lists them. */
  readonly listedBy: string;
}

/** `not_found`, or `ambiguous_prefix` with the candidates. */
export function onlyCandidate<Row extends Candidate>(
  candidates: readonly Row[],
  { noun, prefix, listedBy }: Named,
): string {
  const [first, ...others] = candidates;
  if (first === undefined) {
    throw new CodedError("not_found", `There is no ${noun} ${prefix}.`, {
      hint: `swarm-gen ${listedBy} lists them.`,
      fields: { [noun]: prefix, changed: false },
    });
  }
  if (others.length === 0 || first.id === prefix) return first.id;
  const shown = candidates.slice(0, MOST_CANDIDATES);
  const more = candidates.length > MOST_CANDIDATES ? ", and more" : "";
  const ids = shown.map(({ id }) => id).join(", ");
  throw new CodedError("ambiguous_prefix", `${prefix} begins ${ids}${more}.`, {
    fields: { prefix, candidates: shown, changed: false },
  });
}
