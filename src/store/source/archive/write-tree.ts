/**
 * Writes what an archive holds into a private, empty folder.
 *
 * Nothing outside can be touched, even by a path that every check had let through: each file is
 * created exclusively and without following a link, each folder is made here, one part at a time,
 * and links are made last, when nothing is written any more.
 * A file is 0600 while it grows and gets its mode and the fixed time when it is complete.
 */
import { constants } from "node:fs";
import { join } from "node:path";
import { CodedError } from "../../../kernel/errors.ts";
import type { FileSystem } from "../../file-system.ts";
import { FIXED_MTIME_S } from "../../identity/fixed-times.ts";
import type { ArchiveContents, ArchivedFile, ContentSink } from "./read-archive.ts";

export interface TreeWriter {
  /** Where `path` stands on disk. */
  at(path: string): string;
  file(file: ArchivedFile): ContentSink;
  /** Makes the folders and links that are left; the tree is then complete. */
  finish(contents: ArchiveContents): void;
  /** Closes what is still open; to be called in every case. */
  close(): void;
}

export interface FileModes {
  readonly plain: number;
  readonly executable: number;
}

type WriterFileSystem = Pick<
  FileSystem,
  | "chmodSync"
  | "closeSync"
  | "fchmodSync"
  | "futimesSync"
  | "lstatSync"
  | "lutimesSync"
  | "mkdirSync"
  | "openSync"
  | "readdirSync"
  | "realpathSync"
  | "symlinkSync"
  | "utimesSync"
  | "writeSync"
>;

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const FOLDER_MODE = 0o755;

/** `into` is an absolute path of an empty folder that nobody else writes to. `invalid_input` otherwise. */
export function createTreeWriter(fs: WriterFileSystem, into: string, modes: FileModes): TreeWriter {
  if (!fs.lstatSync(into).isDirectory() || fs.readdirSync(into).length > 0) {
    throw new CodedError("invalid_input", `${into} is not an empty folder.`);
  }
  const root = fs.realpathSync(into);
  const made = new Set<string>([""]);
  let open: number | null = null;

  const makeFolder = (path: string): void => {
    if (made.has(path)) return;
    makeFolder(parentOf(path));
    fs.mkdirSync(join(root, path), { mode: 0o700 });
    made.add(path);
  };

  return {
    at: (path) => join(root, path),
    file({ path, executable }) {
      makeFolder(parentOf(path));
      const descriptor = fs.openSync(join(root, path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      open = descriptor;
      return {
        write: (piece) => writeAll(fs, descriptor, piece),
        end() {
          fs.fchmodSync(descriptor, executable ? modes.executable : modes.plain);
          fs.futimesSync(descriptor, FIXED_MTIME_S, FIXED_MTIME_S);
          open = null;
          fs.closeSync(descriptor);
        },
      };
    },
    finish({ folders, links }) {
      for (const path of folders) makeFolder(path);
      for (const path of links.keys()) makeFolder(parentOf(path));
      for (const [path, target] of links) {
        fs.symlinkSync(target, join(root, path));
        fs.lutimesSync(join(root, path), FIXED_MTIME_S, FIXED_MTIME_S);
      }
      for (const path of made) {
        fs.chmodSync(join(root, path), FOLDER_MODE);
        fs.utimesSync(join(root, path), FIXED_MTIME_S, FIXED_MTIME_S);
      }
    },
    close() {
      if (open !== null) fs.closeSync(open);
      open = null;
    },
  };
}

function writeAll(fs: WriterFileSystem, descriptor: number, piece: Buffer): void {
  for (let at = 0; at < piece.length; ) at += fs.writeSync(descriptor, piece, at);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
