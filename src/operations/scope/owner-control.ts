/** Starting, stopping and asking after a scope's owner; what `swarm-gen owner …` does. */
import { createSystemProcesses } from "../../census/index.ts";
import type { OwnerDescriptor } from "../../client/client.ts";
import { createClient } from "../../client/create-client.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { ProcessIdentity } from "../../kernel/processes.ts";
import { pause } from "../../kernel/timers.ts";
import { readCapability } from "./capability-file.ts";
import { readEndpoint } from "./endpoint.ts";
import { launchOwner, READY_FD } from "./launch-owner.ts";
import { planOwner } from "./plan-owner.ts";
import { reachOwner } from "./reach-owner.ts";
import { readLastLines } from "./read-log.ts";
import { findScope, type ScopeLayout, scopeLayout } from "./scope-layout.ts";
import type { ScopeName, ScopePorts, ScopeRequest } from "./scope-place.ts";
import { checkScopeFolder } from "./secure-folder.ts";

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

/** How long a start waits for one that another process began, or that is just ending. */
const START_WITHIN_MS = 30_000;
/** An owner that stops waits 5 s for answers on their way. */
const STOP_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 50;

/**
 * Starts the owner, detached, unless one serves; resolves once it answers. Of several that start
 * one at the same time, each gets the one that won.
 */
export async function ownerStart(
  request: ScopeRequest & OwnerOptions,
  ports: ScopePorts,
): Promise<OwnerStarted> {
  const name = findScope(request);
  const layout = scopeLayout(request.folders.state, name.scope);
  const deadline = ports.timers.monotonicNow() + START_WITHIN_MS;
  for (;;) {
    const found = await reachOwner(layout, ports);
    if (found.owner?.state === "serving") return { ...name, started: false, owner: found.owner };
    if (found.state === "unresponsive") throw unresponsive(name, layout);
    // One that is out of reach and lives still holds the scope: nothing that is started now could have it.
    const isGone = found.owner === null && liveHolder(layout, ports) === null;
    const owner = isGone ? await launchUnlessHeld({ ...request, name }, layout, ports) : null;
    if (owner !== null) return { ...name, started: true, owner };
    if (ports.timers.monotonicNow() > deadline) throw unresponsive(name, layout);
    await pause(ports.timers, LOOK_EVERY_MS);
  }
}

/** Null where another process holds the scope: it starts one as well, or ends one. */
async function launchUnlessHeld(
  request: ScopeRequest & OwnerOptions & { readonly name: ScopeName },
  layout: ScopeLayout,
  ports: ScopePorts,
): Promise<OwnerDescriptor | null> {
  const program = await planOwner({ ...request, readyFd: READY_FD }, ports);
  try {
    return await launchOwner(program, layout, ports);
  } catch (error) {
    if (error instanceof CodedError && error.code === "wrong_state" && "lock" in error.fields) return null;
    throw error;
  }
}

/**
 * Lets the owner finish what is in flight, and waits for the end of its process. It is asked over
 * its socket, so no signal can reach another process that has its number by now. `wait_timeout`.
 */
export async function ownerStop(request: ScopeRequest, ports: ScopePorts): Promise<OwnerStopped> {
  const name = findScope(request);
  const layout = scopeLayout(request.folders.state, name.scope);
  const found = await reachOwner(layout, ports);
  if (found.state === "unresponsive") throw unresponsive(name, layout);
  if (found.owner !== null) await askToStop(layout, ports);
  // One that gave up its socket may still be closing its ledger.
  const holder = found.owner?.process ?? liveHolder(layout, ports);
  if (holder === null) return { ...name, stopped: false, pid: null };
  const { liveness } = createSystemProcesses({ ...ports, platform: ports.running.platform });
  const deadline = ports.timers.monotonicNow() + STOP_WITHIN_MS;
  while (liveness(holder) !== "dead") {
    if (ports.timers.monotonicNow() > deadline) {
      throw new CodedError("wait_timeout", `The owner (process ${holder.pid}) is still stopping.`, {
        hint: "swarm-gen owner status tells when it has ended.",
        fields: { ...name, pid: holder.pid },
      });
    }
    await pause(ports.timers, LOOK_EVERY_MS);
  }
  return { ...name, stopped: true, pid: holder.pid };
}

async function askToStop(layout: ScopeLayout, ports: ScopePorts): Promise<void> {
  const client = createClient({
    ...ports,
    locate: () => readEndpoint(layout.endpoint)?.socket ?? null,
    capability: readCapability(layout.operatorKey, ports.uid),
    patienceMs: 0,
  });
  try {
    await client.call("owner stop", {});
  } catch (error) {
    // It stops already, at somebody else's word.
    const isEnding = error instanceof CodedError && /^owner_/.test(error.code);
    if (!isEnding) throw error;
  } finally {
    client.close();
  }
}

/** Starts nothing. */
export async function ownerStatus(request: ScopeRequest, ports: ScopePorts): Promise<OwnerStatus> {
  const name = findScope(request);
  const layout = scopeLayout(request.folders.state, name.scope);
  const { state: reached, owner } = await reachOwner(layout, ports);
  const isHeld = reached === "stopped" && liveHolder(layout, ports) !== null;
  const state = isHeld ? "unresponsive" : reached;
  const endpoint = state === "none" ? null : (readEndpoint(layout.endpoint)?.socket ?? null);
  return { ...name, state, folder: layout.folder, endpoint, owner };
}

/** The last `lines` of the owner's log; works whether it runs or not. `not_found` for a scope without one. */
export async function ownerLogs(
  request: ScopeRequest & { readonly lines: number },
  ports: ScopePorts,
): Promise<OwnerLogs> {
  const name = findScope(request);
  const layout = scopeLayout(request.folders.state, name.scope);
  const lines = checkScopeFolder(layout, ports.uid) ? readLastLines(layout.log, request.lines) : null;
  if (lines !== null) return { ...name, file: layout.log, lines };
  throw new CodedError("not_found", `Scope ${name.scope} (${name.root}) had no owner yet.`, {
    hint: "swarm-gen owner start starts one.",
    fields: { ...name },
  });
}

/** The owner in the foreground: what the caller is to replace itself by. `wrong_state` where one serves. */
export async function ownerRun(
  request: ScopeRequest & OwnerOptions,
  ports: ScopePorts,
): Promise<OwnerProgram> {
  const name = findScope(request);
  const layout = scopeLayout(request.folders.state, name.scope);
  const { state, owner } = await reachOwner(layout, ports);
  if (state === "unresponsive") throw unresponsive(name, layout);
  if (owner === null) return planOwner({ ...request, name }, ports);
  throw new CodedError(
    "wrong_state",
    `Process ${owner.process.pid} is the owner of scope ${name.scope} (${name.root}).`,
    {
      hint: "swarm-gen owner stop ends it.",
      fields: { ...name, pid: owner.process.pid, changed: false },
    },
  );
}

/** The process that last bound the scope's socket, if it is known to live still. */
function liveHolder({ endpoint }: ScopeLayout, ports: ScopePorts): ProcessIdentity | null {
  const holder = readEndpoint(endpoint)?.process ?? null;
  if (holder === null) return null;
  const processes = createSystemProcesses({ ...ports, platform: ports.running.platform });
  return processes.liveness(holder) === "alive" ? holder : null;
}

function unresponsive(name: ScopeName, { endpoint }: ScopeLayout): CodedError {
  const pid = readEndpoint(endpoint)?.process?.pid ?? null;
  return new CodedError(
    "owner_unavailable",
    `${pid === null ? "A process" : `Process ${pid}`} holds scope ${name.scope} (${name.root}) and does not answer.`,
    {
      hint: "See whether it was stopped (SIGSTOP), or hangs; once it has ended, swarm-gen owner start takes over.",
      fields: { ...name, owner: "silent", pid },
    },
  );
}
