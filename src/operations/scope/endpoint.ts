/**
 * The endpoint: where a scope's owner listens.
 *
 * The owner binds `$XDG_RUNTIME_DIR/sg/<id>/api.sock`, or `api.sock` in the scope's folder where
 * there is no such folder of the user's own, and records the path that it bound in `endpoint`.
 * Clients read that and never compute it: they may run in another environment than the owner.
 */
import { lstatSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { Environment } from "../home.ts";
import type { ScopeLayout } from "./scope-layout.ts";

/** The kernel's own limits are 108 bytes (Linux) and 104 (macOS), with the end of the string. */
const MOST_SOCKET_BYTES = 100;

export interface Endpoint {
  /** Absolute. */
  readonly socket: string;
  /** The port on 127.0.0.1, where the owner serves there too. */
  readonly tcpPort: number | null;
}

export interface SocketPlace {
  readonly socket: string;
  /** To be made for the socket, below the runtime folder; null where it is the scope's folder. */
  readonly folders: readonly string[];
}

/** `state_insecure` where no path is short enough for a socket. */
export function chooseSocket(
  layout: ScopeLayout,
  { scope, env, uid }: { readonly scope: string; readonly env: Environment; readonly uid: number },
): SocketPlace {
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime !== undefined && isOwnFolder(runtime, uid)) {
    const folder = join(runtime, "sg", scope);
    const socket = join(folder, "api.sock");
    if (fits(socket)) return { socket, folders: [join(runtime, "sg"), folder] };
  }
  if (fits(layout.socket)) return { socket: layout.socket, folders: [] };
  throw new CodedError(
    "state_insecure",
    `${layout.socket} is longer than the ${MOST_SOCKET_BYTES} bytes that a socket's path may have.`,
    {
      hint: "Set XDG_RUNTIME_DIR to a short folder of your own (mode 0700), or SWARM_GEN_HOME to a shorter one.",
      fields: { path: layout.socket, changed: false },
    },
  );
}

const fits = (socket: string): boolean => Buffer.byteLength(socket) <= MOST_SOCKET_BYTES;

function isOwnFolder(path: string, uid: number): boolean {
  if (!isAbsolute(path)) return false;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
}

/** Null where no owner ever bound one, or what is recorded cannot be one. */
export function readEndpoint(path: string): Endpoint | null {
  try {
    const { socket, tcpPort } = JSON.parse(readFileSync(path, "utf8")) as Partial<Endpoint>;
    if (typeof socket !== "string" || !isAbsolute(socket)) return null;
    return { socket, tcpPort: typeof tcpPort === "number" ? tcpPort : null };
  } catch (error) {
    if (error instanceof SyntaxError || ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}

/** The owner's alone; `temporary` names a file beside it that nobody else writes. */
export function recordEndpoint(path: string, temporary: string, endpoint: Endpoint): void {
  writeFileSync(temporary, `${JSON.stringify(endpoint)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}
