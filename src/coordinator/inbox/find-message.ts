/**
 * findMessage: the message that a unique beginning of its id names, among those that the caller may
 * know of: a worker knows what it was sent and what it sent.
 *
 * A whole id is taken as it is; whether there is such a message, the statement that uses it says.
 */
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import { MOST_CANDIDATES, onlyCandidate } from "../prefixes/only-candidate.ts";

const WHOLE_ID = /^m-[0-9a-f]{12}$/;

// "g" comes after every digit of an id.
const CANDIDATES = `
  SELECT id, kind, sender FROM message
   WHERE id >= @prefix AND id < @prefix || 'g'
     AND (@only IS NULL OR sender = @only
       OR EXISTS (SELECT 1 FROM delivery WHERE delivery.message = message.id AND recipient = @only))
   ORDER BY id LIMIT @limit`;

/** `not_found`, or `ambiguous_prefix` with the candidates. */
export function findMessage(reading: Reading, { actor, kind }: Caller, prefix: string): string {
  if (WHOLE_ID.test(prefix)) return prefix;
  const candidates = reading.all<{ id: string; kind: string; sender: string }>(CANDIDATES, {
    prefix,
    only: kind === "worker" ? actor : null,
    limit: MOST_CANDIDATES + 1,
  });
  return onlyCandidate(candidates, { noun: "message", prefix, listedBy: "inbox ls" });
}
