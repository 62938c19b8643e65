/**
 * One connection to an owner: requests go out as they come, answers come back in their order.
 *
 * It is used until it breaks, and tells each request that waited what became of it. A connection
 * that nothing waits on does not keep the process alive.
 */
import { connect, type Socket } from "node:net";
import { createResponseParser, type ResponseHead } from "./response-parser.ts";

export interface Exchange {
  /** Head and body, as they go over the wire. */
  readonly request: Buffer;
  readonly head?: (head: ResponseHead) => void;
  readonly body: (piece: Buffer) => void;
  readonly end: () => void;
  /** No answer, or half of one. `unreached` where the owner cannot have seen the request. */
  readonly lost: (how: "unreached" | "cut", cause: unknown) => void;
}

export interface Connection {
  readonly isOpen: boolean;
  send(exchange: Exchange): void;
  /** Ends it; what waits is lost. */
  close(): void;
}

export function openConnection(socketPath: string): Connection {
  const waiting: Exchange[] = [];
  let isOpen = true;
  let isReached = false;
  let wasLastAnswer = false;
  const socket: Socket = connect(socketPath);
  const parser = createResponseParser({
    head(head) {
      wasLastAnswer = head.headers.get("connection")?.toLowerCase() === "close";
      waiting[0]?.head?.(head);
    },
    body: (piece) => waiting[0]?.body(piece),
    end() {
      const answered = waiting.shift();
      if (waiting.length === 0) socket.unref();
      answered?.end();
      if (wasLastAnswer) lose(new Error("the owner ended the connection"));
    },
  });
  const lose = (cause: unknown) => {
    if (!isOpen) return;
    isOpen = false;
    socket.destroy();
    const how = isReached ? "cut" : "unreached";
    for (const exchange of waiting.splice(0)) exchange.lost(how, cause);
  };
  socket.unref();
  socket.on("connect", () => {
    isReached = true;
  });
  socket.on("data", (piece: Buffer) => {
    try {
      parser.feed(piece);
    } catch (error) {
      lose(error);
    }
  });
  socket.on("end", () => {
    parser.finish();
    lose(new Error("the owner ended the connection"));
  });
  socket.on("error", lose);
  socket.on("close", () => lose(new Error("the connection is closed")));
  return {
    get isOpen() {
      return isOpen;
    },
    send(exchange) {
      if (!isOpen) return exchange.lost("unreached", new Error("the connection is closed"));
      waiting.push(exchange);
      socket.ref();
      socket.write(exchange.request);
    },
    close: () => lose(new Error("the client was closed")),
  };
}
