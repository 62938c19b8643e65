/** openScope: a client of the scope that a folder belongs to; starts its owner if it may. */
import type { Client } from "../../client/client.ts";
import { createClient } from "../../client/create-client.ts";
import { CodedError } from "../../kernel/errors.ts";
import { readCapability } from "./capability-file.ts";
import { readEndpoint } from "./endpoint.ts";
import { reachOwner } from "./reach-owner.ts";
import { findScope, type ScopeLayout, scopeLayout } from "./scope-layout.ts";
import type { ScopeName, ScopePorts, ScopeRequest } from "./scope-place.ts";
import { checkScopeFolder } from "./secure-folder.ts";

export interface OpenScopeRequest extends ScopeRequest {
  /** Starts the owner where none runs; a read-only command does not. */
  readonly start: boolean;
  /** The file that holds the caller's capability; default: the operator's, in the scope's folder. */
  readonly capabilityFile?: string | undefined;
  /** Told before an owner is started, which takes a moment. */
  readonly onStarting?: (() => void) | undefined;
}

export interface OpenScope extends ScopeName {
  readonly client: Client;
}

/** `owner_unavailable` where none runs and none may be started; `unauthorized`, `state_insecure`. */
export async function openScope(request: OpenScopeRequest, ports: ScopePorts): Promise<OpenScope> {
  const name = findScope(request);
  const layout = scopeLayout(request.folders.state, name.scope);
  if (request.start) await ensureOwner(request, layout, ports);
  else if (!checkScopeFolder(layout, ports.uid)) throw noOwner(name);
  const capability = readCapability(request.capabilityFile ?? layout.operatorKey, ports.uid);
  const locate = () => readEndpoint(layout.endpoint)?.socket ?? null;
  return {
    ...name,
    client: createClient({ ...ports, locate, capability, waitsForOwner: request.start }),
  };
}

async function ensureOwner(request: OpenScopeRequest, layout: ScopeLayout, ports: ScopePorts): Promise<void> {
  const { owner } = await reachOwner(layout, ports);
  if (owner?.state === "serving") return;
  request.onStarting?.();
  // Loaded where one has to be started: most calls find one.
  const { ownerStart } = await import("./owner-control.ts");
  await ownerStart(request, ports);
}

function noOwner(name: ScopeName): CodedError {
  return new CodedError("owner_unavailable", `Scope ${name.scope} (${name.root}) has no owner yet.`, {
    hint: "swarm-gen owner start starts one; so does every command that changes something.",
    fields: { ...name, owner: "gone" },
  });
}
