/**
 * The requester: sends a request until it has an answer, over one connection that it opens anew
 * when it breaks.
 *
 * After a lost connection, and while the owner stops or is busy beyond its bounds, the same request
 * is sent again, with growing pauses, for at most `patienceMs`. That is safe for commands, since
 * each carries an id. A client that never reached an owner does not wait for one: none may run.
 */
import { CodedError } from "../kernel/errors.ts";
import { pause } from "../kernel/timers.ts";
import type { ClientDeps } from "./client-deps.ts";
import { type Connection, openConnection } from "./connection.ts";
import { codedProblem } from "./problem.ts";
import { type RequestParts, requestBytes } from "./request-text.ts";
import type { ResponseHead } from "./response-parser.ts";

/** In flight at once; an owner grants an actor 16, which may have other processes. */
const MOST_IN_FLIGHT = 8;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

export interface Requester {
  /** The parsed body of the answer. Throws the refusal, `owner_unavailable`, or why `signal` was aborted. */
  request(parts: RequestParts, signal?: AbortSignal): Promise<unknown>;
  close(): void;
}

type Attempt =
  | { readonly kind: "answer"; readonly status: number; readonly body: unknown }
  | { readonly kind: "lost"; readonly how: "unreached" | "cut"; readonly cause: unknown }
  | { readonly kind: "silent" };

export function createRequester(deps: ClientDeps): Requester {
  const { timers, locate, patienceMs = 10_000, answerWithinMs = 30_000 } = deps;
  let connection: Connection | null = null;
  let isClosed = false;
  let wasReached = deps.waitsForOwner === true;
  const slots = createSlots(MOST_IN_FLIGHT);

  const attempt = (request: Buffer, signal: AbortSignal | undefined): Promise<Attempt> => {
    const socketPath = locate();
    if (socketPath === null) {
      return Promise.resolve({ kind: "lost", how: "unreached", cause: new Error("no endpoint is recorded") });
    }
    if (connection?.isOpen !== true) connection = openConnection(socketPath);
    return exchange({ connection, request, timers, answerWithinMs, signal });
  };

  return {
    async request(parts, signal) {
      const request = requestBytes(parts);
      return slots.run(signal, async () => {
        let failingSince: number | null = null;
        for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
          signal?.throwIfAborted();
          if (isClosed) throw unavailable("The client is closed.", { ...parts, owner: "left" });
          const outcome = await attempt(request, signal);
          // What it brought, if anything, is nobody's any more.
          signal?.throwIfAborted();
          if (outcome.kind === "answer" || (outcome.kind === "lost" && outcome.how === "cut"))
            wasReached = true;
          if (outcome.kind === "answer" && outcome.status === 200) return outcome.body;
          const failure = failureOf(outcome, parts);
          const now = timers.monotonicNow();
          failingSince ??= now;
          if (!isWorthAnother(outcome, failure, wasReached) || now - failingSince >= patienceMs)
            throw failure;
          await pause(timers, pauseMs, signal);
        }
      });
    },
    close() {
      isClosed = true;
      connection?.close();
    },
  };
}

function isWorthAnother(outcome: Attempt, failure: CodedError, wasReached: boolean): boolean {
  if (outcome.kind === "lost") return wasReached;
  // A full disk or a full inbox may last; only a restart and a crowd pass by themselves.
  return failure.code === "owner_restarting" || failure.code === "overloaded";
}

function failureOf(outcome: Attempt, parts: RequestParts): CodedError {
  switch (outcome.kind) {
    case "answer":
      return codedProblem(outcome.body, outcome.status);
    case "silent":
      return unavailable("The scope's owner does not answer.", { ...parts, owner: "silent" });
    case "lost":
      return unavailable("The scope's owner does not run.", { ...parts, owner: "gone" }, outcome.cause);
  }
}

interface Unavailable extends Pick<RequestParts, "commandId"> {
  readonly owner: "gone" | "silent" | "left";
}

function unavailable(message: string, { commandId, owner }: Unavailable, cause?: unknown): CodedError {
  return new CodedError("owner_unavailable", message, {
    ...(cause === undefined ? {} : { cause }),
    fields: commandId === undefined ? { owner } : { owner, commandId },
  });
}

interface ExchangeRequest extends Pick<ClientDeps, "timers"> {
  readonly connection: Connection;
  readonly request: Buffer;
  readonly answerWithinMs: number;
  readonly signal: AbortSignal | undefined;
}

/** An aborted one is left at once as `silent`; its answer is dropped when it comes, in its place among the others. */
function exchange(asked: ExchangeRequest): Promise<Attempt> {
  const { connection, request, timers, answerWithinMs, signal } = asked;
  return new Promise((resolve) => {
    let status = 0;
    const pieces: Buffer[] = [];
    const leave = () => {
      cancel();
      resolve({ kind: "silent" });
    };
    // A process that was stopped still holds its socket open, and answers nothing.
    const cancelTimer = timers.after(answerWithinMs, () => {
      leave();
      connection.close();
    });
    const cancel = () => {
      cancelTimer();
      signal?.removeEventListener("abort", leave);
    };
    signal?.addEventListener("abort", leave);
    connection.send({
      request,
      head(head: ResponseHead) {
        status = head.status;
      },
      body: (piece) => void pieces.push(piece),
      end() {
        cancel();
        resolve(answerOf(status, pieces));
      },
      lost(how, cause) {
        cancel();
        resolve({ kind: "lost", how, cause });
      },
    });
  });
}

function answerOf(status: number, pieces: readonly Buffer[]): Attempt {
  try {
    return { kind: "answer", status, body: JSON.parse(Buffer.concat(pieces).toString("utf8")) };
  } catch (cause) {
    return { kind: "lost", how: "cut", cause };
  }
}

/** At most `most` at a time; the others wait in their order. */
function createSlots(most: number) {
  let taken = 0;
  let queue: (() => void)[] = [];
  const turn = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        queue = queue.filter((other) => other !== begin);
        reject(signal?.reason);
      };
      queue.push(begin);
      signal?.addEventListener("abort", leave, { once: true });
    });
  return {
    async run<Result>(signal: AbortSignal | undefined, act: () => Promise<Result>): Promise<Result> {
      if (taken < most) taken += 1;
      else await turn(signal);
      try {
        return await act();
      } finally {
        const next = queue.shift();
        if (next === undefined) taken -= 1;
        else next();
      }
    },
  };
}
