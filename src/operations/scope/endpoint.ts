/**
 * The endpoint: where a scope's owner listens.
 *
 * The owner binds `$XDG_RUNTIME_DIR/sg/<id>/api.sock`, or `api.sock` in the scope's folder where
 * there is no such folder of the user's own, and records what it bound in `endpoint`. Clients read
 * that and never compute it: they may run in another environment than the owner.
 *
 * `<id>` is of the scope's folder, not of the scope: one project may have a scope in each of several
 * state folders, and one owner must never take another's socket. The folder is recorded as well, so
 * that a copy of it leads nobody to the owner of the original.
 */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { ProcessIdentity } from "../../kernel/processes.ts";
import type { Environment } from "../home.ts";
import type { ScopeLayout } from "./scope-layout.ts";

/** The kernel's own limits are 108 bytes (Linux) and 104 (macOS), with the end of the string. */
const MOST_SOCKET_BYTES = 100;
const ID_DIGITS = 12;

export interface Endpoint {
  /** Absolute. */
  readonly socket: string;
  /** The port on 127.0.0.1, where the owner serves there too. */
  readonly tcpPort: number | null;
  /** Who listens there; null once it has ended in order. */
  readonly process: ProcessIdentity | null;
}

export interface SocketPlace {
  readonly socket: string;
  /** To be made for the socket, below the runtime folder; none where it is the scope's folder. */
  readonly folders: readonly string[];
}

/** Where the socket may stand, the best first; the scope's folder is there. `state_insecure` where no path is short enough. */
export function socketPlaces(
  layout: ScopeLayout,
  { env, uid }: { readonly env: Environment; readonly uid: number },
): readonly SocketPlace[] {
  const places: SocketPlace[] = [];
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime !== undefined && isOwnFolder(runtime, uid)) {
    const id = createHash("sha256")
      .update(realpathSync.native(layout.folder))
      .digest("hex")
      .slice(0, ID_DIGITS);
    const folder = join(runtime, "sg", id);
    places.push({ socket: join(folder, "api.sock"), folders: [join(runtime, "sg"), folder] });
  }
  places.push({ socket: layout.socket, folders: [] });
  const short = places.filter(({ socket }) => fits(socket));
  if (short.length > 0) return short;
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

/** Null where no owner ever bound one for this very folder, or what is recorded cannot be one. */
export function readEndpoint(path: string): Endpoint | null {
  try {
    const recorded = JSON.parse(readFileSync(path, "utf8")) as Partial<
      Endpoint & { readonly folder: string }
    >;
    const { folder, socket, tcpPort, process } = recorded;
    if (typeof socket !== "string" || !isAbsolute(socket) || process === undefined) return null;
    // A folder that was copied, or moved away from its owner.
    if (folder !== realpathSync.native(dirname(path))) return null;
    return { socket, tcpPort: typeof tcpPort === "number" ? tcpPort : null, process };
  } catch (error) {
    if (error instanceof SyntaxError || ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}

/** The owner's alone, since nobody else writes the file beside it. */
export function recordEndpoint(path: string, endpoint: Endpoint): void {
  const folder = realpathSync.native(dirname(path));
  const temporary = `${path}.new`;
  writeFileSync(temporary, `${JSON.stringify({ folder, ...endpoint })}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Nobody listens there any more. Where that cannot be written, the process that is named is gone all the same. */
export function endEndpoint(path: string): void {
  try {
    const endpoint = readEndpoint(path);
    if (endpoint !== null) recordEndpoint(path, { ...endpoint, process: null });
  } catch (error) {
    if (systemCode(error) === null) throw error;
  }
}
