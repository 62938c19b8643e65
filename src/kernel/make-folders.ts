/**
 * Makes a folder and what is missing above it, as `mkdir -p` does, and comes to an end in any case.
 *
 * Node's own recursive mkdir does not: where a folder exists and still answers ENOENT to a new name
 * (procfs, some network file systems) it makes the parent, finds it there, and tries again for good.
 */
import type * as nodeFs from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./errors.ts";

type FolderCalls = Pick<typeof nodeFs, "mkdirSync" | "statSync">;

/** `path` is absolute. Throws the system's error where no folder stands there in the end. */
export function makeFolders(fs: FolderCalls, path: string, mode: number): void {
  const refusal = tryMake(fs, path, mode);
  if (refusal === null) return;
  if (systemCode(refusal) !== "ENOENT" || dirname(path) === path) throw refusal;
  makeFolders(fs, dirname(path), mode);
  const second = tryMake(fs, path, mode);
  if (second === null) return;
  if (systemCode(second) !== "ENOENT") throw second;
  // mkdir(2) has a code for a file system that makes no folders; this one just does not use it.
  throw Object.assign(new Error(`EPERM: no folder can be made at ${path}`), { code: "EPERM", path });
}

function tryMake(fs: FolderCalls, path: string, mode: number): unknown {
  try {
    fs.mkdirSync(path, { mode });
    return null;
  } catch (error) {
    return systemCode(error) !== "ENOENT" && isFolder(fs, path) ? null : error;
  }
}

function isFolder(fs: FolderCalls, path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    // The refusal of mkdir says more than that of the look.
    return false;
  }
}
