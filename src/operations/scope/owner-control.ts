/** Starting, stopping and asking after a scope's owner; what `swarm-gen owner …` does. */
import type { OwnerDescriptor } from "../../client/client.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { ScopeName, ScopePorts, ScopeRequest } from "./scope-place.ts";

export interface OwnerStarted extends ScopeName {
  /** False where one served already. */
  readonly started: boolean;
  readonly owner: OwnerDescriptor;
}

export interface OwnerStopped extends ScopeName {
  /** False where none ran. */
  readonly stopped: boolean;
  readonly pid: number | null;
}

export interface OwnerStatus extends ScopeName {
  /** `none` where the scope was never started; `unresponsive` where a process holds it and does not answer. */
  readonly state: "none" | "stopped" | "running" | "unresponsive";
  /** The scope's folder. */
  readonly folder: string;
  /** The bound socket, as the last owner recorded it. */
  readonly endpoint: string | null;
  readonly owner: OwnerDescriptor | null;
}

export interface OwnerLogs extends ScopeName {
  readonly file: string;
  /** Oldest first, each as it stands in the file: one JSON object a line. */
  readonly lines: readonly string[];
}

/** A program that replaces the calling process. */
export interface OwnerProgram {
  readonly file: string;
  /** Beginning with the interpreter itself, as execve takes it. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface OwnerOptions {
  /** Serves on 127.0.0.1 at this port beside the socket. */
  readonly tcpPort?: number | undefined;
}

/** Starts the owner, detached, unless one serves; resolves once it answers. */
export async function ownerStart(
  _request: ScopeRequest & OwnerOptions,
  _ports: ScopePorts,
): Promise<OwnerStarted> {
  throw new CodedError("internal", "not built");
}

/** Lets the owner finish what is in flight, and waits for its end. `forbidden`, `wait_timeout`. */
export async function ownerStop(_request: ScopeRequest, _ports: ScopePorts): Promise<OwnerStopped> {
  throw new CodedError("internal", "not built");
}

/** Starts nothing. */
export async function ownerStatus(_request: ScopeRequest, _ports: ScopePorts): Promise<OwnerStatus> {
  throw new CodedError("internal", "not built");
}

/** The last `lines` of the owner's log; works whether it runs or not. `not_found` for a scope without one. */
export async function ownerLogs(
  _request: ScopeRequest & { readonly lines: number },
  _ports: ScopePorts,
): Promise<OwnerLogs> {
  throw new CodedError("internal", "not built");
}

/** The owner in the foreground: what the caller is to replace itself by. `wrong_state` where one serves. */
export async function ownerRun(
  _request: ScopeRequest & OwnerOptions,
  _ports: ScopePorts,
): Promise<OwnerProgram> {
  throw new CodedError("internal", "not built");
}
