/** createClient: a typed client of a scope's owner, on nothing but `node:net`. */
import { uuidV7 } from "../kernel/uuid.ts";
import type { BatchAnswer, Client, OwnerDescriptor } from "./client.ts";
import type { ClientDeps } from "./client-deps.ts";
import { followEvents } from "./follow-events.ts";
import { codedProblem } from "./problem.ts";
import { createRequester } from "./requester.ts";

interface WireAnswers {
  readonly answers: readonly ({ readonly ok: true; readonly output: unknown } | { readonly ok: false })[];
}

/** An owner too old to be talked to must still be told to make room for a newer one. */
const STOP = "owner stop";

/** Connects when it is first called. */
export function createClient(deps: ClientDeps): Client {
  const { capability, clock, ids } = deps;
  const requester = createRequester(deps);
  const newId = () => uuidV7(clock.now(), ids);
  return {
    async call<Output>(
      operation: string,
      input: unknown,
      { commandId = newId(), signal }: { readonly commandId?: string; readonly signal?: AbortSignal } = {},
    ) {
      const path = `/v1/${operation.replaceAll(" ", ".")}`;
      const ofEveryVersion = operation === STOP;
      const parts = {
        method: "POST",
        path,
        capability,
        commandId,
        ofEveryVersion,
        body: input ?? {},
      } as const;
      return (await requester.request(parts, signal)) as Output;
    },
    async batch(calls) {
      // The ids are made here, so that the request that is sent again is the same request.
      const body = { calls: calls.map((call) => ({ commandId: newId(), ...call })) };
      const answer = await requester.request({ method: "POST", path: "/v1/batch", capability, body });
      return (answer as WireAnswers).answers.map(
        (each): BatchAnswer =>
          each.ok ? { ok: true, output: each.output } : { ok: false, error: codedProblem(each, 200) },
      );
    },
    events: (request) => followEvents(deps, request),
    async descriptor() {
      const parts = { method: "GET", path: "/v1/descriptor", capability, ofEveryVersion: true } as const;
      return (await requester.request(parts)) as OwnerDescriptor;
    },
    close: () => requester.close(),
  };
}
