/** findLaunch: the launch that a unique beginning of its id names. */
import type { Reading } from "../commit/statements.ts";
import { MOST_CANDIDATES, onlyCandidate } from "../prefixes/only-candidate.ts";

// "g" comes after every digit of an id. A whole id may be the beginning of another: the launcher makes them.
const LAUNCHES = `
  SELECT id, task, state FROM launch WHERE id >= @prefix AND id < @prefix || 'g' ORDER BY id LIMIT @limit`;

/** `not_found`, or `ambiguous_prefix` with the candidates. */
export function findLaunch(reading: Reading, prefix: string): string {
  const candidates = reading.all<{ id: string; task: string; state: string }>(LAUNCHES, {
    prefix,
    limit: MOST_CANDIDATES + 1,
  });
  return onlyCandidate(candidates, { noun: "launch", prefix, listedBy: "launch ls" });
}
