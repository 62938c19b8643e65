/**
 * The owner's API: from a request to its answer.
 *
 *   POST /v1/<operation>   the operations of the ledger, `task add` as `task.add`
 *   POST /v1/batch         several of them
 *   POST /v1/owner.stop    operator alone
 *   GET  /v1/events        the feed, as server-sent events
 *   GET  /v1/descriptor    what the owner says of itself; needs no capability on the socket
 *   GET  /openapi.json     all of this, for machines
 *
 * The order of the checks is the order of their cost: nothing is read of a body before its sender
 * is known and has room.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { OwnerDescriptor } from "../../client/client.ts";
import type { Coordinator } from "../../coordinator/create-coordinator.ts";
import type { Clock } from "../../kernel/clock.ts";
import { CATALOGUE, CodedError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import { type ProvenCaller, proveCaller } from "./caller.ts";
import { createDenials } from "./denials.ts";
import { createEventStreams } from "./event-stream.ts";
import { createInFlight } from "./in-flight.ts";
import { readJsonBody } from "./json-body.ts";
import { openApiDocument } from "./openapi.ts";
import { refuseWebPages, requireOneHost } from "./origin-check.ts";
import { codedOf, problemOf } from "./problem.ts";
import { runBatch } from "./run-batch.ts";
import { refuseCaller, requireOperation, runCall } from "./run-call.ts";
import { refuseOtherVersions } from "./version-check.ts";

export interface ApiDeps {
  readonly coordinator: Coordinator;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly descriptor: () => OwnerDescriptor;
  /** Asks the owner to stop. */
  readonly onStop: (actor: string) => void;
  /** Told of each bug. */
  readonly onBug: (what: string, error: unknown) => void;
}

export interface Api {
  /** `tcpPort` where the request came over TCP. */
  handle(request: IncomingMessage, response: ServerResponse, tcpPort: number | null): void;
  /** From now on new requests are answered `owner_restarting`; resolves once those in flight are answered. */
  stop(): Promise<void>;
}

interface Reply {
  readonly output: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createApi(deps: ApiDeps): Api {
  const { coordinator, descriptor, onBug } = deps;
  const inFlight = createInFlight();
  const streams = createEventStreams(deps);
  const denials = createDenials(deps);
  let isStopping = false;

  const callOrBatch = async (
    operation: string,
    request: IncomingMessage,
    proven: ProvenCaller,
  ): Promise<Reply> => {
    const input = await readJsonBody(request);
    if (operation === "batch") {
      const onRefused = (refused: string, error: CodedError) =>
        denials.note({ actor: proven.caller.actor, operation: refused, error });
      return { output: await runBatch({ ...deps, onRefused, onBug }, { input, proven }) };
    }
    if (operation === "owner stop") {
      refuseCaller({ name: operation, callers: ["operator"] }, proven.caller.kind);
      deps.onStop(proven.caller.actor);
      return { output: { stopping: true } };
    }
    const commandId = oneHeader(request, "swarm-gen-command");
    const answer = await runCall(deps, { operation, input, commandId, proven });
    if (!answer.ok) throw answer.error;
    return {
      output: answer.output,
      ...(answer.replayed ? { headers: { "swarm-gen-replayed": "true" } } : {}),
    };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse, route: Route): Promise<void> => {
    let actor: string | null = null;
    let leave: (() => void) | null = null;
    try {
      if (isStopping) throw restarting();
      const proven = proveCaller(coordinator.reading, request.headers.authorization);
      ({ actor } = proven.caller);
      if (route.kind === "events") {
        refuseCaller(requireOperation("events"), proven.caller.kind);
        return streams.open(request, response, () => isProven(coordinator.reading, request));
      }
      leave = inFlight.enter(actor);
      response.once("close", leave);
      const { output, headers } = await callOrBatch(route.operation, request, proven);
      sendJson(response, { status: 200, body: output, ...(headers === undefined ? {} : { headers }) });
    } catch (error) {
      const coded = codedOf(error);
      if (coded !== error) onBug(route.operation, error);
      denials.note({ actor, operation: route.operation, error: coded });
      sendProblem(response, coded);
    }
  };

  return {
    handle(request, response, tcpPort) {
      // A client that goes away in the middle of its request is its own affair.
      request.on("error", () => {});
      response.on("error", () => {});
      try {
        requireOneHost(request);
        if (tcpPort !== null) refuseWebPages(request, tcpPort);
        const route = routeOf(request);
        if (!isOfEveryVersion(route)) refuseOtherVersions(oneHeader(request, "swarm-gen-api"), descriptor());
        if (route.kind === "open") {
          if (tcpPort !== null) proveCaller(coordinator.reading, request.headers.authorization);
          const body = route.operation === "descriptor" ? descriptor() : openApiDocument(descriptor().build);
          return sendJson(response, { status: 200, body });
        }
        void serve(request, response, route);
      } catch (error) {
        const coded = codedOf(error);
        if (coded !== error) onBug(request.url ?? "", error);
        sendProblem(response, coded);
      }
    },
    async stop() {
      isStopping = true;
      streams.close();
      await inFlight.drained();
    },
  };
}

interface Route {
  readonly kind: "open" | "events" | "call";
  /** The operation's name, as it is typed. */
  readonly operation: string;
}

function routeOf({ method, url = "" }: IncomingMessage): Route {
  const [path = ""] = url.split("?");
  if (method === "GET" && path === "/v1/descriptor") return { kind: "open", operation: "descriptor" };
  if (method === "GET" && path === "/openapi.json") return { kind: "open", operation: "openapi" };
  if (method === "GET" && path === "/v1/events") return { kind: "events", operation: "events" };
  const name = /^\/v1\/([a-z]+(?:[.-][a-z]+)*)$/.exec(path)?.[1];
  if (method === "POST" && name !== undefined) return { kind: "call", operation: name.replaceAll(".", " ") };
  throw new CodedError("not_found", "The owner has nothing at this path for this method.", {
    hint: "GET /openapi.json lists what there is.",
    fields: { changed: false },
  });
}

/** What a client of any other version has to be able to ask: who this owner is, and that it ends. */
function isOfEveryVersion({ kind, operation }: Route): boolean {
  return kind === "open" || operation === "owner stop";
}

function isProven(reading: Coordinator["reading"], { headers }: IncomingMessage): boolean {
  try {
    proveCaller(reading, headers.authorization);
    return true;
  } catch (error) {
    if (error instanceof CodedError) return false;
    throw error;
  }
}

function restarting(): CodedError {
  return new CodedError("owner_restarting", "The owner is stopping.", { fields: { changed: false } });
}

function oneHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

const DROPPED_BYTES = 64 * 1024;

function hasLargeBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > DROPPED_BYTES;
}

interface Sending {
  readonly status: number;
  readonly body: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function sendProblem(response: ServerResponse, error: CodedError): void {
  const { http: status } = CATALOGUE[error.code];
  const headers: Record<string, string> = status === 401 ? { "www-authenticate": "Bearer" } : {};
  // The rest of a refused body is read and dropped, unless that would take long.
  if (hasLargeBody(response.req)) headers.connection = "close";
  sendJson(response, { status, body: problemOf(error), type: "application/problem+json", headers });
}

function sendJson(
  response: ServerResponse,
  { status, body, type = "application/json", headers }: Sending,
): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    ...headers,
  });
  response.end(text);
}
