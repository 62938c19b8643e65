/**
 * findTask: the task that a unique beginning of its id names.
 *
 * A whole id is taken as it is, so that what names one pays nothing here; whether there is such a
 * task, the statement that uses it says.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";

const WHOLE_ID = /^t-[0-9a-f]{12}$/;
const MOST_CANDIDATES = 10;

/** `not_found`, or `ambiguous_prefix` with the candidates. */
export function findTask(reading: Reading, prefix: string): string {
  if (WHOLE_ID.test(prefix)) return prefix;
  // "g" comes after every digit of an id.
  const candidates = reading.all<{ id: string; title: string; state: string }>(
    `SELECT id, title, state FROM task WHERE id >= @prefix AND id < @prefix || 'g' ORDER BY id LIMIT @limit`,
    { prefix, limit: MOST_CANDIDATES + 1 },
  );
  const [first, ...others] = candidates;
  if (first === undefined) {
    throw new CodedError("not_found", `There is no task ${prefix}.`, {
      hint: "swarm-gen task ls lists the tasks.",
      fields: { task: prefix, changed: false },
    });
  }
  if (others.length === 0) return first.id;
  const shown = candidates.slice(0, MOST_CANDIDATES).map(({ id }) => id);
  const more = candidates.length > MOST_CANDIDATES ? ", and more" : "";
  throw new CodedError("ambiguous_prefix", `${prefix} begins ${shown.join(", ")}${more}.`, {
    fields: { prefix, candidates: candidates.slice(0, MOST_CANDIDATES), changed: false },
  });
}
