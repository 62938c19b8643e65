/**
 * The HTTP server around the API, with a bound on everything that a client can draw out: time for
 * the head, time for the whole request, bytes of the head, silent connections, and their number.
 */
import { createServer, type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { CodedError } from "../../kernel/errors.ts";
import type { Api } from "../api/create-api.ts";
import { problemOf } from "../api/problem.ts";

export interface ServerBounds {
  readonly headWithinMs: number;
  readonly requestWithinMs: number;
  /** How often the two above are looked after. */
  readonly checkEveryMs: number;
  readonly silentAfterMs: number;
  readonly mostConnections: number;
}

export const SERVER_BOUNDS: ServerBounds = {
  headWithinMs: 5_000,
  requestWithinMs: 20_000,
  checkEveryMs: 1_000,
  silentAfterMs: 60_000,
  mostConnections: 512,
};

const MOST_HEAD_BYTES = 16 * 1024;

export interface OwnerServer {
  readonly server: Server;
  /** Ends it with all of its connections; who is owed an answer has it by then. */
  close(): Promise<void>;
}

/** `tcpPort` is known once a server on TCP listens; null on the socket. */
export function createOwnerServer(
  api: Pick<Api, "handle">,
  bounds: ServerBounds,
  tcpPort: () => number | null,
): OwnerServer {
  const server = createServer({
    headersTimeout: bounds.headWithinMs,
    requestTimeout: bounds.requestWithinMs,
    connectionsCheckingInterval: bounds.checkEveryMs,
    keepAliveTimeout: bounds.silentAfterMs,
    maxHeaderSize: MOST_HEAD_BYTES,
    // The API says so itself, as it says everything else.
    requireHostHeader: false,
  });
  server.maxConnections = bounds.mostConnections;
  // One that takes nothing of its answer for this long ends; a followed feed is kept awake.
  server.timeout = bounds.silentAfterMs;
  server.on("request", (request, response) => api.handle(request, response, tcpPort()));
  // An expectation that nobody knows is no reason to refuse (RFC 9110, 10.1.1).
  server.on("checkExpectation", (request, response) => api.handle(request, response, tcpPort()));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => refuseMalformed(error, socket));
  return {
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Not only the idle ones: a client that repeats its request on a connection that is kept alive, or
        // sends half of one, would keep an owner from ending.
        server.closeAllConnections();
      }),
  };
}

const MALFORMED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The head of the request has more than ${MOST_HEAD_BYTES} bytes.`,
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive.",
};

function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const message = MALFORMED[code ?? ""] ?? "The request is no HTTP/1.1.";
  const problem = problemOf(new CodedError("invalid_input", message, { fields: { changed: false } }));
  const body = JSON.stringify(problem);
  const { status } = problem as { status: number };
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "content-type: application/problem+json",
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
