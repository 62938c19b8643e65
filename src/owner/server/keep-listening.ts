/**
 * Keeps the owner in reach: binds the socket, records it, and binds it anew where it has gone.
 *
 * A runtime folder is emptied when its user logs out for the last time, and other programs clean up
 * as well: an owner that went on without its socket would hold the scope and answer nobody.
 */
import { lstatSync } from "node:fs";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { recordEndpoint, type SocketPlace, socketPlaces } from "../../operations/scope/endpoint.ts";
import type { ScopeLayout } from "../../operations/scope/scope-layout.ts";
import type { Api } from "../api/create-api.ts";
import type { Log } from "../log/rotating-log.ts";
import type { OwnerDeps } from "../owner-deps.ts";
import { prepareSocketFolders } from "../scope/prepare-folder.ts";
import { type Listening, listenOnPort, listenOnSocket } from "./listen.ts";

export interface KeptListening extends Listening {
  readonly socket: () => string;
  /** The port on 127.0.0.1; null where the socket alone is served. */
  readonly tcpPort: number | null;
  /** Binds the socket anew if it is not there any more. */
  look(): Promise<void>;
}

export interface KeepListeningRequest {
  readonly api: Api;
  readonly deps: OwnerDeps;
  readonly layout: ScopeLayout;
  readonly log: Log;
  /** What the scope's setting says, for where the command line names none; null for none. */
  readonly chosenPort: number | null;
}

export async function keepListening(request: KeepListeningRequest): Promise<KeptListening> {
  const { deps, layout, log } = request;
  const remote = await listenRemotely(request);
  let local: Bound;
  const bindAnew = async () => {
    local = await bindFirst(request);
    recordEndpoint(layout.endpoint, {
      socket: local.socket,
      tcpPort: remote?.port ?? null,
      process: deps.process,
    });
  };
  let looking: Promise<void> = Promise.resolve();
  const close = async () => {
    await looking.catch(() => {});
    await Promise.all([local?.listening.close(), remote?.close()]);
  };
  const look = async () => {
    if (inodeOf(local.socket) === local.inode) return;
    const { socket: gone } = local;
    // Closing takes away whatever stands at the path, so it comes first.
    await local.listening.close();
    await bindAnew();
    log.write("warning", "listening anew", { gone, socket: local.socket });
  };
  try {
    await bindAnew();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    socket: () => local.socket,
    tcpPort: remote?.port ?? null,
    look: () => (looking = look()),
    close,
  };
}

interface Bound {
  readonly socket: string;
  readonly inode: bigint | null;
  readonly listening: Listening;
}

async function bindFirst({ api, deps, layout }: KeepListeningRequest): Promise<Bound> {
  let failure: unknown;
  for (const place of socketPlaces(layout, deps)) {
    try {
      return await bindAt(api, place, deps);
    } catch (error) {
      // A full or read-only folder is no fault of this owner's; one that others may write to is refused.
      if (error instanceof CodedError ? error.code !== "owner_unavailable" : systemCode(error) === null)
        throw error;
      failure = error;
    }
  }
  throw failure;
}

async function bindAt(api: Api, place: SocketPlace, { uid, bounds = {} }: OwnerDeps): Promise<Bound> {
  prepareSocketFolders(place, uid);
  const { socket } = place;
  const listening = await listenOnSocket(api, socket, bounds);
  return { socket, inode: inodeOf(socket), listening };
}

/** A port that was asked for now must be had; one that was once set must not keep the owner from serving. */
async function listenRemotely({ api, deps, log, chosenPort }: KeepListeningRequest) {
  const { tcpPort, bounds = {} } = deps;
  if (tcpPort !== null) return await listenOnPort(api, tcpPort, bounds);
  if (chosenPort === null) return null;
  try {
    return await listenOnPort(api, chosenPort, bounds);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    log.write("warning", "served on the socket alone", { message: error.message });
    return null;
  }
}

function inodeOf(path: string): bigint | null {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}
