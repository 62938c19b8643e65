/**
 * findTask: the task that a unique beginning of its id names.
 *
 * A whole id is taken as it is, so that what names one pays nothing here; whether there is such a
 * task, the statement that uses it says.
 */
import type { Reading } from "../commit/statements.ts";
import { MOST_CANDIDATES, onlyCandidate } from "../prefixes/only-candidate.ts";

const WHOLE_ID = /^t-[0-9a-f]{12}$/;

// "g" comes after every digit of an id.
const CANDIDATES = `
  SELECT id, title, state FROM task WHERE id >= @prefix AND id < @prefix || 'g' ORDER BY id LIMIT @limit`;

/** `not_found`, or `ambiguous_prefix` with the candidates. */
export function findTask(reading: Reading, prefix: string): string {
  if (WHOLE_ID.test(prefix)) return prefix;
  const candidates = reading.all<{ id: string; title: string; state: string }>(CANDIDATES, {
    prefix,
    limit: MOST_CANDIDATES + 1,
  });
  return onlyCandidate(candidates, { noun: "task", prefix, listedBy: "task ls" });
}
