/**
 * Reads HTTP/1.1 responses from the pieces in which they arrive: several on one connection, with
 * `content-length`, chunked, or ended by the connection.
 *
 * Only what an owner sends is read; anything else is a fault of the connection, and is thrown.
 */

const MOST_HEAD_BYTES = 64 * 1024;
const MOST_LINE_BYTES = 1024;

export interface ResponseEvents {
  head(response: ResponseHead): void;
  body(piece: Buffer): void;
  end(): void;
}

export interface ResponseHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface ResponseParser {
  /** Tells what `piece` completes; throws where it is no HTTP. */
  feed(piece: Buffer): void;
  /** The connection ended. False where that cuts a response short. */
  finish(): boolean;
}

type State =
  | { readonly in: "head" }
  | { readonly in: "body"; readonly left: number }
  | { readonly in: "chunk-size" }
  | { readonly in: "chunk"; readonly left: number }
  | { readonly in: "chunk-end" }
  | { readonly in: "trailer" }
  | { readonly in: "rest" };

const HEAD: State = { in: "head" };

export function createResponseParser(events: ResponseEvents): ResponseParser {
  let state: State = HEAD;
  let waiting: Buffer = Buffer.alloc(0);
  const take = (bytes: number): Buffer => {
    const taken = waiting.subarray(0, bytes);
    waiting = waiting.subarray(bytes);
    return taken;
  };
  const takeThrough = (mark: string, most: number): string | null => {
    const end = waiting.indexOf(mark);
    if (end < 0 ? waiting.length > most : end > most) throw new Error("the head of a response has no end");
    return end < 0 ? null : take(end + mark.length).toString("latin1", 0, end);
  };
  const end = (): State => {
    events.end();
    return HEAD;
  };
  const passBody = (left: number, then: () => State, again: (left: number) => State): State => {
    const piece = take(Math.min(left, waiting.length));
    if (piece.length > 0) events.body(piece);
    return piece.length === left ? then() : again(left - piece.length);
  };
  /** Null once there is nothing more to be had from what has arrived. */
  const step = (): State | null => {
    switch (state.in) {
      case "head": {
        const text = takeThrough("\r\n\r\n", MOST_HEAD_BYTES);
        if (text === null) return null;
        const head = parseHead(text);
        // An interim answer (100 Continue) announces the real one.
        if (head.status < 200) return HEAD;
        events.head(head);
        const next = bodyOf(head);
        return next.in === "body" && next.left === 0 ? end() : next;
      }
      case "body":
        if (waiting.length === 0) return null;
        return passBody(state.left, end, (left) => ({ in: "body", left }));
      case "chunk-size": {
        const line = takeThrough("\r\n", MOST_LINE_BYTES);
        if (line === null) return null;
        const left = chunkSize(line);
        return left === 0 ? { in: "trailer" } : { in: "chunk", left };
      }
      case "chunk":
        if (waiting.length === 0) return null;
        return passBody(
          state.left,
          () => ({ in: "chunk-end" }),
          (left) => ({ in: "chunk", left }),
        );
      case "chunk-end":
        if (waiting.length < 2) return null;
        if (take(2).toString("latin1") !== "\r\n") throw new Error("a chunk has another length than it says");
        return { in: "chunk-size" };
      case "trailer": {
        const line = takeThrough("\r\n", MOST_LINE_BYTES);
        if (line === null) return null;
        return line === "" ? end() : state;
      }
      case "rest":
        if (waiting.length === 0) return null;
        events.body(take(waiting.length));
        return state;
    }
  };
  return {
    feed(piece) {
      waiting = waiting.length === 0 ? piece : Buffer.concat([waiting, piece]);
      for (let next = step(); next !== null; next = step()) state = next;
    },
    finish() {
      if (state.in === "rest") state = end();
      return state.in === "head" && waiting.length === 0;
    },
  };
}

function parseHead(text: string): ResponseHead {
  const [statusLine = "", ...lines] = text.split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1];
  if (status === undefined) throw new Error("the answer is no HTTP/1.1");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) throw new Error("a header of a response has no name");
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status), headers };
}

function bodyOf({ status, headers }: ResponseHead): State {
  if (status === 204 || status === 304) return { in: "body", left: 0 };
  if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") return { in: "chunk-size" };
  const length = headers.get("content-length");
  if (length === undefined) return { in: "rest" };
  if (!/^\d{1,15}$/.test(length)) throw new Error("the length of a response is no number");
  return { in: "body", left: Number(length) };
}

function chunkSize(line: string): number {
  const digits = line.split(";")[0]?.trim() ?? "";
  if (!/^[0-9a-fA-F]{1,8}$/.test(digits)) throw new Error("the length of a chunk is no number");
  return Number.parseInt(digits, 16);
}
