/**
 * findRoot: the canonical root of the project that a folder belongs to.
 *
 *   in a git working tree   the parent of git's common folder, which all worktrees of a repository
 *                           share; where that folder is not called `.git` (a bare repository, a
 *                           submodule, --separate-git-dir), the common folder itself
 *   elsewhere               the folder's own real path
 *
 * Reads what git reads and starts no git: the answer must be the same where none is installed.
 */
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CodedError, systemCode } from "../../kernel/errors.ts";

/** `folder` is absolute. `not_found` if it is not there. */
export function findRoot(folder: string): string {
  const start = realFolder(folder);
  for (let at = start; ; at = dirname(at)) {
    const common = commonFolder(at);
    if (common !== null) return basename(common) === ".git" ? dirname(common) : common;
    if (dirname(at) === at) return start;
  }
}

function realFolder(folder: string): string {
  try {
    // The native call also gives the spelling that the file system has, where case does not count.
    return realpathSync.native(folder);
  } catch (cause) {
    throw new CodedError("not_found", `There is no folder ${folder}.`, { cause, fields: { path: folder } });
  }
}

/** Git's common folder if `folder` is the top of a working tree, or a git folder itself; else null. */
function commonFolder(folder: string): string | null {
  const gitFolder = isGitFolder(folder) ? folder : gitFolderOf(join(folder, ".git"));
  if (gitFolder === null) return null;
  const common = firstLine(join(gitFolder, "commondir"));
  return realpathSync.native(common === null ? gitFolder : resolve(gitFolder, common));
}

function gitFolderOf(path: string): string | null {
  if (isGitFolder(path)) return path;
  // In a worktree or a submodule, `.git` is a file that says where the folder is.
  const target = firstLine(path)?.match(/^gitdir: (.+)$/)?.[1];
  if (target === undefined) return null;
  const folder = resolve(dirname(path), target);
  return kindOf(join(folder, "HEAD")) === null ? null : folder;
}

/** As git asks: a HEAD, and objects and refs beside it. */
function isGitFolder(path: string): boolean {
  return (
    kindOf(join(path, "HEAD")) !== null &&
    kindOf(join(path, "objects")) === "folder" &&
    kindOf(join(path, "refs")) === "folder"
  );
}

function kindOf(path: string): "folder" | "other" | null {
  try {
    return lstatSync(path).isDirectory() ? "folder" : "other";
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}

function firstLine(path: string): string | null {
  try {
    return readFileSync(path, "utf8").split("\n")[0] ?? null;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}
