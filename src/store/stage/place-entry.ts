/**
 * placeEntry: brings one file into a tree in the making.
 *
 *   in   where from (a source file, or a digest alone), where to, what is known of it
 *   out  "placed"   it stands at `to`; `fresh` says that the store did not have its content
 *        "changed"  the source is not what was planned; that it changes later is for the caller to
 *                   see, who looks at every source again when all have been read (stage-folder.ts)
 *        "missing"  a digest was given that the store no longer has, and no source
 *        "own-path" its content holds a path that it must not hold
 *
 * Each source byte is read at most once: content is digested while it is read. A small file is
 * looked up among the blobs before it is written; a large one is written while it is digested.
 * Blobs are only read here. New content becomes a blob after the tree was flushed (publish.ts),
 * so that power loss never leaves a blob whose name is there and whose bytes are not.
 */

import { constants, type Stats } from "node:fs";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { blobDigest, blobHasher, type Digest } from "../identity/object-id.ts";
import type { Layout } from "../layout.ts";
import { pathExists } from "../path-exists.ts";
import { statKey } from "../source/stat-key.ts";
import { findOwnPath, PIECE_BYTES } from "./own-path-scan.ts";
import { type ContentOrigin, type ContentSharer, type ImportMethod, shareContent } from "./share-content.ts";

export interface EntryJob {
  /** Absolute; the folder around it exists and nothing stands there. */
  readonly to: string;
  readonly executable: boolean;
  readonly size: number;
  /** The source file and its fingerprint when it was planned; null for content known by digest. */
  readonly from: string | null;
  readonly statKey: string | null;
  /** Known already: from the stat cache or a remembered build. */
  readonly digest: Digest | null;
}

export type EntryOutcome =
  | {
      readonly outcome: "placed";
      readonly digest: Digest;
      readonly inode: number;
      readonly method: ContentOrigin;
      readonly fresh: boolean;
    }
  | { readonly outcome: "changed" }
  | { readonly outcome: "missing" }
  | { readonly outcome: "own-path"; readonly ownPath: string };

export interface PlaceEntryDeps {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly sharer: ContentSharer;
  readonly ownPaths: readonly string[];
}

export function createPlaceEntry(deps: PlaceEntryDeps): (job: EntryJob) => EntryOutcome {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  return (job) => {
    if (job.digest !== null && job.size > 0) {
      const shared = shareBlob(deps, job.digest, job);
      if (shared !== null) return { outcome: "placed", digest: job.digest, fresh: false, ...shared };
      if (job.from === null) return { outcome: "missing" };
    }
    if (job.from === null) return writeEmpty(deps.fs, job);
    return placeFromSource(deps, { ...job, from: job.from }, piece);
  };
}

/**
 * How the blob came to `job.to`; null if the store has no such blob. One that no longer has the
 * size, mode or time of a published file was written to through another link, and goes: its
 * content is then written anew from the source.
 */
function shareBlob({ fs, sharer, layout }: PlaceEntryDeps, digest: Digest, job: EntryJob): Shared | null {
  const blob = layout.blob(digest, job.executable);
  try {
    const method = shareContent(sharer, blob, job.to, job.executable);
    const stats = fs.lstatSync(job.to);
    if (stats.size === job.size && hasSeal(stats, job.executable)) return { method, inode: stats.ino };
    fs.unlinkSync(job.to);
    fs.unlinkSync(blob);
    return null;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

interface Shared {
  readonly method: ImportMethod;
  readonly inode: number;
}

type SourceJob = EntryJob & { readonly from: string };

function placeFromSource(deps: PlaceEntryDeps, job: SourceJob, piece: Buffer): EntryOutcome {
  const { fs } = deps;
  let source: number;
  try {
    source = fs.openSync(job.from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (["ENOENT", "ELOOP", "ENOTDIR", "ENXIO"].includes(systemCode(error) ?? ""))
      return { outcome: "changed" };
    throw error;
  }
  try {
    if (statKey(fs.fstatSync(source, { bigint: true })) !== job.statKey) return { outcome: "changed" };
    return job.size <= piece.length
      ? placeSmall(deps, job, { source, piece })
      : placeLarge(deps, job, { source, piece });
  } finally {
    fs.closeSync(source);
  }
}

interface Reading {
  readonly source: number;
  readonly piece: Buffer;
}

function placeSmall(deps: PlaceEntryDeps, job: SourceJob, { source, piece }: Reading): EntryOutcome {
  const { fs, layout, ownPaths } = deps;
  const { size, executable } = job;
  if (readFully(fs, source, piece, size) !== size) return { outcome: "changed" };
  const content = piece.subarray(0, size);
  const ownPath = findOwnPath(content, ownPaths, true);
  if (ownPath !== null) return { outcome: "own-path", ownPath };
  const digest = blobDigest(content);
  // Asked first, since content that had to be read is mostly new, and a link that fails costs more.
  if (size > 0 && pathExists(fs, layout.blob(digest, executable))) {
    const shared = shareBlob(deps, digest, job);
    if (shared !== null) return { outcome: "placed", digest, fresh: false, ...shared };
  }
  const inode = writeTarget(fs, job, (target) => writeFully(fs, target, content));
  return { outcome: "placed", digest, inode, method: "written", fresh: size > 0 };
}

function placeLarge(deps: PlaceEntryDeps, job: SourceJob, { source, piece }: Reading): EntryOutcome {
  const { fs, ownPaths } = deps;
  const hasher = blobHasher(job.size);
  const carry = Math.max(0, ...ownPaths.map((path) => Buffer.byteLength(path) + 1));
  let ownPath: string | null = null;
  let total = 0;
  let kept = 0;
  const inode = writeTarget(fs, job, (target) => {
    for (;;) {
      const read = readFully(fs, source, piece.subarray(kept), piece.length - kept);
      const fresh = piece.subarray(kept, kept + read);
      ownPath ??= findOwnPath(piece.subarray(0, kept + read), ownPaths, read === 0);
      total += read;
      // Grown since it was planned; one that grows for ever would fill the disk.
      if (read === 0 || total > job.size) break;
      hasher.update(fresh);
      writeFully(fs, target, fresh);
      const filled = kept + read;
      kept = Math.min(carry, filled);
      piece.copyWithin(0, filled - kept, filled);
    }
  });
  if (ownPath !== null || total !== job.size) {
    fs.unlinkSync(job.to);
    return ownPath === null ? { outcome: "changed" } : { outcome: "own-path", ownPath };
  }
  const digest = hasher.digest();
  if (!pathExists(fs, deps.layout.blob(digest, job.executable))) {
    return { outcome: "placed", digest, inode, method: "written", fresh: true };
  }
  fs.unlinkSync(job.to);
  const shared = shareBlob(deps, digest, job);
  // The blob was damaged, or a collection removed it in between; the next attempt writes it.
  return shared === null ? { outcome: "changed" } : { outcome: "placed", digest, fresh: false, ...shared };
}

function writeEmpty(fs: FileSystem, job: EntryJob): EntryOutcome {
  const inode = writeTarget(fs, job, () => {});
  const digest = blobDigest(new Uint8Array(0));
  return { outcome: "placed", digest, inode, method: "written", fresh: false };
}

/**
 * Makes a new file with a published one's mode and time, and what `write` puts into it; its inode.
 * Made with that mode at once: a call less for each file, where the umask leaves it as it is.
 */
export function writeTarget(
  fs: FileSystem,
  { to, executable }: Pick<EntryJob, "to" | "executable">,
  write: (descriptor: number) => void,
): number {
  const wanted = modeOf(executable);
  const target = fs.openSync(to, "wx", wanted);
  try {
    write(target);
    fs.futimesSync(target, FIXED_MTIME_S, FIXED_MTIME_S);
    const { mode, ino } = fs.fstatSync(target);
    if ((mode & 0o7777) !== wanted) fs.fchmodSync(target, wanted);
    return ino;
  } finally {
    fs.closeSync(target);
  }
}

const modeOf = (executable: boolean): number => (executable ? 0o555 : 0o444);

/** Whether a file still has what `writeTarget` gave it. */
export function isSealed(fs: FileSystem, path: string, executable: boolean): boolean {
  return hasSeal(fs.lstatSync(path), executable);
}

function hasSeal({ mode, mtimeMs }: Stats, executable: boolean): boolean {
  return (mode & 0o7777) === modeOf(executable) && mtimeMs === FIXED_MTIME_S * 1000;
}

/** Reads until `wanted` bytes or the end; a single read may give less. */
export function readFully(fs: FileSystem, descriptor: number, into: Buffer, wanted: number): number {
  let read = 0;
  while (read < wanted) {
    const got = fs.readSync(descriptor, into, read, wanted - read, null);
    if (got === 0) break;
    read += got;
  }
  return read;
}

/** Writes all of `content`; a single write may take less, on a disk that is filling up. */
export function writeFully(fs: FileSystem, descriptor: number, content: Uint8Array): void {
  let written = 0;
  while (written < content.byteLength) {
    written += fs.writeSync(descriptor, content, written, content.byteLength - written, null);
  }
}
