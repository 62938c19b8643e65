/**
 * What `doctor` and `uninstall` look at on this machine, as plain questions.
 *
 * Looks only, with one exception: how files can be shared is known by trying alone, so that
 * question makes two files in a folder that `store gc` would sweep, and removes them again.
 */
import type * as nodeFs from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Ids } from "../kernel/clock.ts";
import { systemCode } from "../kernel/errors.ts";
import type { IndexDescription } from "../store/index/describe-index.ts";
import { TRASH_PREFIX } from "../store/layout.ts";

export interface HostFacts {
  readonly platform: string;
  readonly architecture: string;
  readonly nodeVersion: string;
  readonly nodePath: string;
  readonly uid: number;
  /** PATH. */
  readonly searchPath: string;
}

export interface FileSystemFacts {
  /** `ext4`, `nfs`, …, or the number that statfs gives. */
  readonly type: string;
  readonly isNetwork: boolean;
  readonly freeBytes: number;
}

export interface HostInspection extends HostFacts {
  /** `path` is an index, or null where there is none. */
  describeIndex(path: string | null): IndexDescription;
  /** Of the nearest folder that exists; null where the system does not tell. */
  fileSystemOf(path: string): FileSystemFacts | null;
  /** Null where nothing stands there. */
  ownership(path: string): { readonly uid: number; readonly mode: number; readonly isFolder: boolean } | null;
  names(folder: string): readonly string[];
  /** What everything below takes on disk; an inode with several names counts once. */
  sizeBytes(path: string): number;
  /** Absolute path of a program in PATH, or null. */
  program(name: string): string | null;
  /** The cheapest way in which two files below `folder` can share content; null where it cannot be tried. */
  sharing(folder: string): "reflink" | "hardlink" | "copy" | null;
  hasFileSystemFlush(): boolean;
}

// statfs(2), the types that a store may meet.
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: "ext4",
  1481003842: "xfs",
  2435016766: "btrfs",
  3393526350: "bcachefs",
  801189825: "zfs",
  4076150800: "f2fs",
  16914836: "tmpfs",
  2035054128: "overlayfs",
  26985: "nfs",
  20859: "smb",
  4283649346: "cifs",
  4266872130: "smb2",
  16914839: "9p",
  1702057286: "fuse",
  12805120: "ceph",
  1397113167: "afs",
};
const NETWORK = new Set(["nfs", "smb", "cifs", "smb2", "9p", "ceph", "afs"]);

export function createHostInspection(
  deps: HostFacts & { readonly fs: typeof nodeFs; readonly ids: Ids } & Pick<HostInspection, "describeIndex">,
): HostInspection {
  const { fs, ids, ...facts } = deps;
  return {
    ...facts,
    fileSystemOf(path) {
      if (facts.platform !== "linux") return null;
      const known = unlessConfined(() => fs.statfsSync(nearestExisting(fs, path)), null);
      if (known === null) return null;
      const { type, bavail, bsize } = known;
      const name = FILE_SYSTEMS[type] ?? `0x${type.toString(16)}`;
      return { type: name, isNetwork: NETWORK.has(name), freeBytes: bavail * bsize };
    },
    ownership(path) {
      const stats = lookAt(fs, path);
      return stats === null
        ? null
        : { uid: stats.uid, mode: stats.mode & 0o7777, isFolder: stats.isDirectory() };
    },
    names: (folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []),
    sizeBytes: (path) => sizeBelow(fs, path),
    program(name) {
      for (const folder of facts.searchPath.split(delimiter)) {
        const file = join(folder, name);
        if (isAbsolute(folder) && isExecutableFile(fs, file)) return file;
      }
      return null;
    },
    sharing: (folder) => trySharing(fs, join(folder, `${TRASH_PREFIX}${ids.hex(8)}`)),
    hasFileSystemFlush: () =>
      facts.platform === "linux" &&
      unlessConfined(() => ["/usr/bin/sync", "/bin/sync"].some((path) => fs.existsSync(path)), false),
  };
}

/** Under Node's permission model most of the machine cannot be seen; that is no fault of it. */
function unlessConfined<Value>(look: () => Value, otherwise: Value): Value {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) !== "ERR_ACCESS_DENIED") throw error;
    return otherwise;
  }
}

/** Null where nothing stands, a file in place of a folder above included. */
function lookAt(fs: typeof nodeFs, path: string): nodeFs.Stats | null {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (systemCode(error) !== "ENOTDIR") throw error;
    return null;
  }
}

function nearestExisting(fs: typeof nodeFs, path: string): string {
  let folder = path;
  while (!fs.existsSync(folder)) folder = join(folder, "..");
  return folder;
}

function isExecutableFile(fs: typeof nodeFs, file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    // Not there, or not for us: either way it is not the program that a command would find.
    return false;
  }
}

function sizeBelow(fs: typeof nodeFs, root: string): number {
  const seen = new Set<string>();
  const pending = [root];
  let bytes = 0;
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const inode = `${stats.dev}:${stats.ino}`;
    if (stats.nlink > 1 && !stats.isDirectory() && seen.has(inode)) continue;
    seen.add(inode);
    bytes += stats.blocks * 512;
    if (stats.isDirectory()) pending.push(...fs.readdirSync(path).map((name) => join(path as string, name)));
  }
  return bytes;
}

function trySharing(fs: typeof nodeFs, folder: string): "reflink" | "hardlink" | "copy" | null {
  const succeeds = (act: () => void): boolean => {
    try {
      act();
      return true;
    } catch {
      // The answer to the question: this file system, or this user, cannot.
      return false;
    }
  };
  if (!succeeds(() => fs.mkdirSync(folder, { mode: 0o700 }))) return null;
  const [file, copy] = [join(folder, "a"), join(folder, "b")];
  try {
    fs.writeFileSync(file, "x");
    if (succeeds(() => fs.copyFileSync(file, copy, fs.constants.COPYFILE_FICLONE_FORCE))) return "reflink";
    return succeeds(() => fs.linkSync(file, join(folder, "c"))) ? "hardlink" : "copy";
  } catch {
    // No room or no permission; other checks report that.
    return null;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
