/**
 * listEvents: a page of the feed after a number, oldest first. Where events after that number are
 * kept no longer, it says so: nobody takes a feed with a hole for a whole one.
 */
import { eventRange, type FeedEvent, readEvents } from "../commit/events.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";

export interface ListEventsInput {
  /** The number of the last event that the reader has; 0 for none. */
  readonly since: number;
  readonly limit: number;
}

export interface EventPage {
  readonly events: readonly FeedEvent[];
  /** What to name as `since` for the next page. */
  readonly next: number;
  /** Whether there are events after `next`. */
  readonly isMore: boolean;
  /** The numbers that the feed no longer has; null if it has all after `since`. */
  readonly missing: { readonly first: number; readonly last: number } | null;
}

export function listEvents(reading: Reading, _caller: Caller, { since, limit }: ListEventsInput): EventPage {
  const events = readEvents(reading, { after: since, limit });
  const { first, last } = eventRange(reading);
  // Of a feed whose events are all gone, the counter alone tells how many there were.
  const firstKept = first > 0 ? first : lastNumbered(reading) + 1;
  const next = events.at(-1)?.seq ?? Math.max(since, firstKept - 1);
  return {
    events,
    next,
    isMore: last > next,
    missing: since + 1 < firstKept ? { first: since + 1, last: firstKept - 1 } : null,
  };
}

function lastNumbered(reading: Reading): number {
  const row = reading.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'event'");
  return row?.seq ?? 0;
}
