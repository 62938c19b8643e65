/**
 * Follows the feed over a connection of its own, and goes on after the last event seen when that
 * connection is lost or the owner restarts: each event comes once, in order.
 */
import { CodedError } from "../kernel/errors.ts";
import { pause } from "../kernel/timers.ts";
import type { FollowedEvent, FollowRequest } from "./client.ts";
import type { ClientDeps } from "./client-deps.ts";
import { openConnection } from "./connection.ts";
import { createEventLines, type ServerSentEvent } from "./event-lines.ts";
import { codedProblem } from "./problem.ts";
import { requestBytes } from "./request-text.ts";

const PAUSE_MS = 200;
/** An owner sends something each 15 s, if only to show that it is there. */
const SILENT_AFTER_MS = 60_000;

/**
 * Resolves once the signal is aborted. Throws `owner_unavailable` when none came back within the patience,
 * or the owner went silent; and what `onEvent` throws.
 */
export async function followEvents(deps: ClientDeps, request: FollowRequest): Promise<void> {
  const { timers, patienceMs = 10_000 } = deps;
  const { signal } = request;
  let after = request.after;
  let lastHeardAt = timers.monotonicNow();
  let wasReached = deps.waitsForOwner === true;
  const onEvent = (event: ServerSentEvent) => {
    if (event.name === "gap") {
      const gap = JSON.parse(event.data) as { readonly after: number; readonly first: number };
      after = gap.first - 1;
      return request.onGap?.(gap);
    }
    const followed = JSON.parse(event.data) as FollowedEvent;
    after = followed.seq;
    request.onEvent(followed);
  };
  while (!signal.aborted) {
    const failure = await follow(deps, { after, onEvent, signal });
    if (signal.aborted) return;
    if (failure.wasReached) {
      wasReached = true;
      lastHeardAt = timers.monotonicNow();
    }
    const isOver = timers.monotonicNow() - lastHeardAt > patienceMs;
    if (!failure.mayPass || !wasReached || isOver) throw failure.error;
    await pause(timers, PAUSE_MS, signal);
  }
}

interface Ended {
  readonly error: unknown;
  /** Whether another try may go better. */
  readonly mayPass: boolean;
  readonly wasReached: boolean;
}

interface Following {
  readonly after: number;
  readonly onEvent: (event: ServerSentEvent) => void;
  readonly signal: AbortSignal;
}

/** One connection, from its beginning to its end. */
function follow(deps: ClientDeps, { after, onEvent, signal }: Following): Promise<Ended> {
  const socketPath = deps.locate();
  if (socketPath === null) return Promise.resolve(lostOwner(false, new Error("no endpoint is recorded")));
  return new Promise((resolve) => {
    let status = 0;
    const refusal: Buffer[] = [];
    const lines = createEventLines(onEvent);
    const connection = openConnection(socketPath);
    const stop = () => connection.close();
    signal.addEventListener("abort", stop, { once: true });
    let heardAt = deps.timers.monotonicNow();
    let cancel = () => {};
    const listen = () => {
      cancel = deps.timers.after(SILENT_AFTER_MS, () => {
        if (deps.timers.monotonicNow() - heardAt >= SILENT_AFTER_MS) ended(silentOwner());
        else listen();
      });
    };
    listen();
    const ended = (end: Ended) => {
      cancel();
      signal.removeEventListener("abort", stop);
      resolve(end);
      connection.close();
    };
    connection.send({
      request: requestBytes({
        method: "GET",
        path: "/v1/events",
        capability: deps.capability,
        headers: { accept: "text/event-stream", "last-event-id": String(after) },
      }),
      head(head) {
        status = head.status;
      },
      body(piece) {
        heardAt = deps.timers.monotonicNow();
        if (status !== 200) return void refusal.push(piece);
        try {
          lines.feed(piece);
        } catch (error) {
          // The listener's own fault, or a feed that is none: the same again would bring the same.
          ended({ error, mayPass: false, wasReached: true });
        }
      },
      end: () => ended(status === 200 ? lostOwner(true, null) : refused(status, refusal)),
      lost: (how, cause) => ended(lostOwner(how === "cut", cause)),
    });
  });
}

function lostOwner(wasReached: boolean, cause: unknown): Ended {
  const error = new CodedError("owner_unavailable", "The scope's owner does not run.", { cause });
  return { error, mayPass: true, wasReached };
}

function silentOwner(): Ended {
  const error = new CodedError("owner_unavailable", "The scope's owner does not answer.", {
    fields: { owner: "silent" },
  });
  return { error, mayPass: false, wasReached: true };
}

function refused(status: number, pieces: readonly Buffer[]): Ended {
  let body: unknown = null;
  try {
    body = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const error = codedProblem(body, status);
  const mayPass = error.code === "owner_restarting" || error.code === "overloaded";
  return { error, mayPass, wasReached: true };
}
