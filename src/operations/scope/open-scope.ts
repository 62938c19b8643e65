/** openScope: a client of the scope that a folder belongs to; starts its owner if it may. */
import type { Client } from "../../client/client.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { ScopeName, ScopePorts, ScopeRequest } from "./scope-place.ts";

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
export async function openScope(_request: OpenScopeRequest, _ports: ScopePorts): Promise<OpenScope> {
  throw new CodedError("internal", "not built");
}
