/**
 * The feed as server-sent events, resumable by number (`Last-Event-ID`, or `?after=`).
 *
 * Nothing is held for a reader but its number: it gets a page when its connection has room, and
 * the next page is read from the ledger when that one has gone out. So a reader that is slow, or
 * does not read at all, costs one page.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { eventRange, readEvents } from "../../coordinator/commit/events.ts";
import type { Coordinator } from "../../coordinator/create-coordinator.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";

const MOST_READERS = 64;
const PAGE = 200;
const KEEP_ALIVE_MS = 15_000;

export interface EventStreams {
  /**
   * Answers the request for as long as its client reads and `mayRead`: a reader whose enrollment ends
   * is shown nothing more. `overloaded`, `invalid_input`.
   */
  open(request: IncomingMessage, response: ServerResponse, mayRead: () => boolean): void;
  /** Ends all of them; their clients come back to the next owner. */
  close(): void;
}

export interface EventStreamsDeps {
  readonly coordinator: Pick<Coordinator, "reading" | "onEvents">;
  readonly timers: Timers;
}

export function createEventStreams(deps: EventStreamsDeps): EventStreams {
  const readers = new Set<{ end(): void }>();
  return {
    open(request, response, mayRead) {
      const after = startOf(request);
      if (readers.size >= MOST_READERS) {
        throw new CodedError("overloaded", `${readers.size} readers follow the feed already.`);
      }
      const reader = follow(deps, { response, after, mayRead });
      readers.add(reader);
      response.once("close", () => {
        readers.delete(reader);
        reader.end();
      });
    },
    close() {
      for (const reader of readers) reader.end();
    },
  };
}

interface Following {
  readonly response: ServerResponse;
  readonly after: number;
  readonly mayRead: () => boolean;
}

function follow(
  { coordinator, timers }: EventStreamsDeps,
  { response, after, mayRead }: Following,
): { end(): void } {
  let last = after;
  let isOpen = true;
  const hasRoom = () => isOpen && !response.writableNeedDrain;
  const send = () => {
    while (hasRoom()) {
      if (!mayRead()) return end();
      const { first } = eventRange(coordinator.reading);
      if (first > last + 1) {
        if (last > 0) response.write(sse("gap", { after: last, first }));
        last = first - 1;
      }
      const page = readEvents(coordinator.reading, { after: last, limit: PAGE });
      if (page.length === 0) return;
      last = page.at(-1)?.seq ?? last;
      response.write(page.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
    }
  };
  let cancel: () => void = () => {};
  const keepAlive = () => {
    cancel = timers.after(KEEP_ALIVE_MS, () => {
      if (hasRoom()) response.write(":\n\n");
      keepAlive();
    });
  };
  let stopListening: () => void = () => {};
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    stopListening();
    cancel();
    response.end();
  };
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.flushHeaders();
  stopListening = coordinator.onEvents(send);
  response.on("drain", send);
  keepAlive();
  const { last: newest } = eventRange(coordinator.reading);
  if (after > newest) {
    // A number of another ledger's: to wait for this feed to reach it would be to hide all until then.
    response.write(sse("gap", { after, first: newest + 1 }));
    last = newest;
  }
  send();
  return { end };
}

const sse = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The number after which the reader wants to go on; 0 for all that the feed has. */
function startOf(request: IncomingMessage): number {
  const header = request.headers["last-event-id"];
  const query = new URLSearchParams(request.url?.split("?")[1] ?? "").get("after");
  const text = (typeof header === "string" ? header : query) ?? "0";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new CodedError("invalid_input", "Last-Event-ID, or after, is no number of an event.", {
    fields: { changed: false },
  });
}
