/**
 * The real file system: Node's calls, and a flush of everything below a folder.
 *
 * The flush is `sync -f`, one call for a whole file system: 0.4 s for 34,000 files where a flush
 * per file takes 15 s. Where it cannot be had (macOS, a confined process) each file and folder is
 * flushed by itself.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { childProcess } from "../kernel/child-process.ts";
import { systemCode } from "../kernel/errors.ts";
import { makeFolders } from "../kernel/make-folders.ts";
import type { FileSystem } from "./file-system.ts";

// By absolute path: nothing that the store runs is looked up in PATH.
const SYNC_PROGRAMS = ["/usr/bin/sync", "/bin/sync"];

/** The file system of this machine; `platform` decides how it flushes. */
export function createNodeFileSystem(platform: NodeJS.Platform = process.platform): FileSystem {
  return {
    ...fs,
    mkdirSync: mkdirThatEnds as typeof fs.mkdirSync,
    flush(folder) {
      if (platform === "linux" && syncFileSystem(folder)) return;
      flushBelow(folder);
    },
    startFlush(folder) {
      if (platform === "linux") startSync(folder);
    },
  };
}

function mkdirThatEnds(path: string, options: { readonly recursive?: boolean; readonly mode?: number } = {}) {
  if (options.recursive === true) return makeFolders(fs, path, options.mode ?? 0o777);
  fs.mkdirSync(path, options);
}

function syncProgram(): string | undefined {
  return SYNC_PROGRAMS.find((path) => fs.existsSync(path));
}

function syncFileSystem(folder: string): boolean {
  const program = syncProgram();
  if (program === undefined) return false;
  try {
    return childProcess().spawnSync(program, ["-f", folder], { stdio: "ignore", env: {} }).status === 0;
  } catch {
    // A confined process may not start children; every file is then flushed by itself.
    return false;
  }
}

/** Whether the last one still runs is not asked: the kernel does one after the other. */
function startSync(folder: string): void {
  const program = syncProgram();
  if (program === undefined) return;
  try {
    const child = childProcess().spawn(program, ["-f", folder], { stdio: "ignore", env: {} });
    child.on("error", () => {});
    child.unref();
  } catch {
    // As above; the flush that comes later then has all of it to do.
  }
}

function flushBelow(folder: string): void {
  for (const entry of unlessGone(() => fs.readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) flushBelow(path);
    else if (entry.isFile()) unlessGone(() => flushOne(path));
  }
  unlessGone(() => flushOne(folder));
}

/** Other processes come and go below the same folder; what is gone needs no flush. */
function unlessGone<Result>(act: () => Result): Result | null {
  try {
    return act();
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    return null;
  }
}

function flushOne(path: string): void {
  const descriptor = fs.openSync(path, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
