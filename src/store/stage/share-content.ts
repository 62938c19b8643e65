/**
 * Gives one content a second name: reflink where the file system can, else a hard link, else a
 * copy. What a file system can is asked by trying, never by its type or device number: a bind
 * mount of the same file system answers EXDEV.
 */
import { constants } from "node:fs";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";

export type ImportMethod = "reflink" | "hardlink" | "copy";

/** How a file came into a tree; `written` is content that the store did not have. */
export type ContentOrigin = ImportMethod | "written";

/** `auto` tries them in that order; a method by name falls back to a copy alone. */
export type ImportChoice = "auto" | ImportMethod;

/** Each answers false where the method is not to be had, and the next one is tried. */
export interface ContentSharer {
  reflink(from: string, to: string, executable: boolean): boolean;
  hardLink(from: string, to: string): boolean;
  copy(from: string, to: string, executable: boolean): void;
}

// A file system without the call, or two file systems; then the next method is tried.
const NO_REFLINK = new Set(["ENOTSUP", "EOPNOTSUPP", "EXDEV", "EINVAL", "ENOSYS", "ENOTTY"]);
// The last two are too many links to one inode, and a file system or policy without links.
const NO_HARD_LINK = new Set(["EXDEV", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EPERM"]);

/**
 * Makes `to`, which must not exist, hold what `from` holds, with a published file's mode and time.
 * ENOENT (no such content) and EEXIST pass through: the caller decides what they mean.
 */
export function shareContent(
  sharer: ContentSharer,
  from: string,
  to: string,
  executable: boolean,
): ImportMethod {
  if (sharer.reflink(from, to, executable)) return "reflink";
  if (sharer.hardLink(from, to)) return "hardlink";
  sharer.copy(from, to, executable);
  return "copy";
}

export function createContentSharer(fs: FileSystem, choice: ImportChoice): ContentSharer {
  let reflinks = choice === "auto" || choice === "reflink";
  const hardLinks = choice === "auto" || choice === "hardlink";
  const finish = (path: string, executable: boolean) => {
    fs.chmodSync(path, executable ? 0o555 : 0o444);
    fs.utimesSync(path, FIXED_MTIME_S, FIXED_MTIME_S);
  };
  return {
    reflink(from, to, executable) {
      if (!reflinks) return false;
      try {
        fs.copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
      } catch (error) {
        if (!NO_REFLINK.has(systemCode(error) ?? "")) throw error;
        // One store is one file system, so what failed once is not tried for every file.
        reflinks = false;
        return false;
      }
      finish(to, executable);
      return true;
    },
    hardLink(from, to) {
      if (!hardLinks) return false;
      try {
        fs.linkSync(from, to);
        return true;
      } catch (error) {
        // Decided anew for each file: one inode may be full while the next is not.
        if (!NO_HARD_LINK.has(systemCode(error) ?? "")) throw error;
        return false;
      }
    },
    copy(from, to, executable) {
      fs.copyFileSync(from, to, constants.COPYFILE_EXCL);
      finish(to, executable);
    },
  };
}
