/**
 * A scope's folder must be its user's alone: whoever writes to it decides what the owner does, and
 * whoever reads it has the operator's authority.
 *
 * What is insecure is refused with the command that mends it, and never mended in silence: by then
 * somebody else may have written to it.
 */
import { lstatSync, type Stats, statfsSync } from "node:fs";
import { CodedError } from "../../kernel/errors.ts";
import { shellWord } from "../../kernel/shell-word.ts";
import type { ScopeLayout } from "./scope-layout.ts";

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

/** statfs(2): NFS, SMB, CIFS, SMB2, Ceph, AFS. SQLite's locks do not hold there. */
const NETWORK_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x00c36400, 0x5346414f,
]);

/** False where the scope has no folder yet. `state_insecure`. */
export function checkScopeFolder(layout: ScopeLayout, uid: number): boolean {
  for (const path of [layout.state, layout.scopes]) {
    if (!checkFolder(path, { uid, forbidden: WRITABLE_BY_OTHERS })) return false;
  }
  if (!checkFolder(layout.folder, { uid, forbidden: OPEN_TO_OTHERS })) return false;
  checkFolder(layout.logs, { uid, forbidden: OPEN_TO_OTHERS });
  for (const path of privateFiles(layout)) checkFile(path, uid);
  return true;
}

/** `state_insecure` where the scope would stand on another machine's disk. */
export function refuseNetworkFileSystem(folder: string): void {
  const { type } = statfsSync(folder);
  // Read as unsigned: Node gives the type of SMB2 as a negative number on some systems.
  if (!NETWORK_FILE_SYSTEMS.has(type) && !NETWORK_FILE_SYSTEMS.has(type >>> 0)) return;
  throw new CodedError("state_insecure", `${folder} is on a network file system, whose locks do not hold.`, {
    hint: "Set SWARM_GEN_HOME, or XDG_STATE_HOME, to a folder on a local disk.",
    fields: { path: folder, changed: false },
  });
}

function privateFiles(layout: ScopeLayout): readonly string[] {
  const { ledger, lock, config, operatorKey, launcherKey, endpoint } = layout;
  return [ledger, `${ledger}-wal`, `${ledger}-shm`, lock, config, operatorKey, launcherKey, endpoint];
}

function checkFolder(
  path: string,
  { uid, forbidden }: { readonly uid: number; readonly forbidden: number },
): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isDirectory()) throw insecure(path, "is not a folder", `mv ${shellWord(path)} elsewhere`);
  refuseOthers(path, stats, uid);
  if ((stats.mode & forbidden) === 0) return true;
  const what = (stats.mode & WRITABLE_BY_OTHERS) === 0 ? "read" : "written";
  throw insecure(path, `can be ${what} by other users`, `chmod 700 ${shellWord(path)}`);
}

/** Looks at the file itself and never opens it: closing a descriptor would drop SQLite's locks. */
export function checkFile(path: string, uid: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isFile()) throw insecure(path, "is not a plain file", `rm ${shellWord(path)}`);
  refuseOthers(path, stats, uid);
  if ((stats.mode & OPEN_TO_OTHERS) === 0) return true;
  throw insecure(path, "is open to other users", `chmod 600 ${shellWord(path)}`);
}

function refuseOthers(path: string, stats: Stats, uid: number): void {
  if (stats.uid === uid) return;
  throw insecure(
    path,
    `belongs to user ${stats.uid}, not to you (${uid})`,
    `chown ${uid} ${shellWord(path)}`,
  );
}

function insecure(path: string, why: string, command: string): CodedError {
  return new CodedError("state_insecure", `${path} ${why}.`, {
    hint: `See who wrote to it, then run: ${command}`,
    fields: { path, changed: false },
  });
}
