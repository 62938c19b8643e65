/** The feed: what happened in the scope, numbered without gaps in sight, to be resumed by number. */
import type { Reading, Writing } from "./statements.ts";
import type { NewEvent } from "./transaction.ts";

export interface FeedEvent extends NewEvent {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
}

interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly entity: string;
  readonly payload: string;
  readonly at: number;
}

/** The number of the new event. */
export function appendEvent(statements: Writing, { type, entity, payload }: NewEvent, now: number): number {
  const row = statements.get<{ seq: number }>(
    `INSERT INTO event (type, entity, payload, at) VALUES (@type, @entity, @payload, @now) RETURNING seq`,
    { type, entity, payload: JSON.stringify(payload), now },
  );
  return row?.seq ?? 0;
}

/** At most `limit` events after number `after`, oldest first. */
export function readEvents(
  reading: Reading,
  { after, limit }: { readonly after: number; readonly limit: number },
): FeedEvent[] {
  const rows = reading.all<EventRow>(
    "SELECT seq, type, entity, payload, at FROM event WHERE seq > @after ORDER BY seq LIMIT @limit",
    { after, limit },
  );
  return rows.map(({ seq, type, entity, payload, at }) => ({
    seq,
    type,
    entity,
    payload: JSON.parse(payload) as FeedEvent["payload"],
    at: new Date(at).toISOString(),
  }));
}

/** The oldest number that the feed still has, and the newest; both 0 while it is empty. */
export function eventRange(reading: Reading): { readonly first: number; readonly last: number } {
  const row = reading.get<{ first: number | null; last: number | null }>(
    "SELECT min(seq) AS first, max(seq) AS last FROM event",
  );
  return { first: row?.first ?? 0, last: row?.last ?? 0 };
}
