/**
 * scopeStatus: a project on one screen. Asks its owner where one runs; else reads the stopped
 * ledger from a private copy, and says so. Starts nothing.
 */
import type { OwnerDescriptor } from "../client/client.ts";
import type { Status } from "../coordinator/status/read-status.ts";
import { CodedError } from "../kernel/errors.ts";
import { type OpenScopeRequest, openScope } from "./scope/open-scope.ts";
import type { ScopePorts } from "./scope/scope-place.ts";

export interface ScopeStatus extends Status {
  /** Null where none runs: all else is as the last one left it. */
  readonly owner: OwnerDescriptor | null;
}

export type ScopeStatusRequest = Omit<OpenScopeRequest, "start" | "onStarting">;

/** `owner_unavailable` where there is no ledger yet, or a process holds it and does not answer. */
export async function scopeStatus(request: ScopeStatusRequest, ports: ScopePorts): Promise<ScopeStatus> {
  try {
    return await askOwner(request, ports);
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== "owner_unavailable") throw error;
    const status = error.fields.owner === "silent" ? null : await readStopped(request, ports);
    if (status === null) throw error;
    return status;
  }
}

async function askOwner(request: ScopeStatusRequest, ports: ScopePorts): Promise<ScopeStatus> {
  const { client } = await openScope({ ...request, start: false }, ports);
  try {
    const [status, owner] = await Promise.all([client.call<Status>("status", {}), client.descriptor()]);
    return { owner, ...status };
  } finally {
    client.close();
  }
}

/** Null where there is no ledger, or an owner has come meanwhile. Loaded when needed: it brings SQLite. */
async function readStopped(request: ScopeStatusRequest, ports: ScopePorts): Promise<ScopeStatus | null> {
  const { readStoppedStatus } = await import("./ledger/read-stopped-status.ts");
  const status = await readStoppedStatus(request, ports);
  return status === null ? null : { owner: null, ...status };
}
