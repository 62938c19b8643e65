/**
 * placeEntry: brings one file into a tree in the making.
 *
 *   in   where from (a source file, or a digest alone), where to, what is known of it
 *   out  "placed"   it stands at `to`; `fresh` says that the store did not have its content
 *        "changed"  the source is not what was planned, or changed while it was read
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
    const unchanged = () => statKey(fs.fstatSync(source, { bigint: true })) === job.statKey;
    if (!unchanged()) return { outcome: "changed" };
    return job.size < piece.length
      ? placeSmall(deps, job, { source, piece, unchanged })
      : placeLarge(deps, job, { source, piece, unchanged });
  } finally {
    fs.closeSync(source);
  }
}

interface Reading {
  readonly source: number;
  readonly piece: Buffer;
  readonly unchanged: () => boolean;
}

function placeSmall(
  deps: PlaceEntryDeps,
  job: SourceJob,
  { source, piece, unchanged }: Reading,
): EntryOutcome {
  const { fs, ownPaths } = deps;
  // One byte more than planned is asked for, so that growth shows.
  const read = readFully(fs, source, piece, job.size + 1);
  if (read !== job.size || !unchanged()) return { outcome: "changed" };
  const content = piece.subarray(0, read);
  const ownPath = findOwnPath(content, ownPaths, true);
  if (ownPath !== null) return { outcome: "own-path", ownPath };
  const digest = blobDigest(content);
  if (job.size > 0) {
    const shared = shareBlob(deps, digest, job);
    if (shared !== null) return { outcome: "placed", digest, fresh: false, ...shared };
  }
  const target = createTarget(fs, job.to);
  try {
    writeFully(fs, target, content);
    finishTarget(fs, target, job.executable);
  } finally {
    fs.closeSync(target);
  }
  return placed(fs, job, { digest, method: "written", fresh: job.size > 0 });
}

function placeLarge(
  deps: PlaceEntryDeps,
  job: SourceJob,
  { source, piece, unchanged }: Reading,
): EntryOutcome {
  const { fs, ownPaths } = deps;
  const hasher = blobHasher(job.size);
  const carry = Math.max(0, ...ownPaths.map((path) => Buffer.byteLength(path) + 1));
  let ownPath: string | null = null;
  let total = 0;
  let kept = 0;
  const target = createTarget(fs, job.to);
  try {
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
    finishTarget(fs, target, job.executable);
  } finally {
    fs.closeSync(target);
  }
  if (ownPath !== null || total !== job.size || !unchanged()) {
    fs.unlinkSync(job.to);
    return ownPath === null ? { outcome: "changed" } : { outcome: "own-path", ownPath };
  }
  const digest = hasher.digest();
  if (!pathExists(fs, deps.layout.blob(digest, job.executable))) {
    return placed(fs, job, { digest, method: "written", fresh: true });
  }
  fs.unlinkSync(job.to);
  const shared = shareBlob(deps, digest, job);
  // The blob was damaged, or a collection removed it in between; the next attempt writes it.
  return shared === null ? { outcome: "changed" } : { outcome: "placed", digest, fresh: false, ...shared };
}

function writeEmpty(fs: FileSystem, job: EntryJob): EntryOutcome {
  const target = createTarget(fs, job.to);
  try {
    finishTarget(fs, target, job.executable);
  } finally {
    fs.closeSync(target);
  }
  return placed(fs, job, { digest: blobDigest(new Uint8Array(0)), method: "written", fresh: false });
}

function placed(
  fs: FileSystem,
  job: EntryJob,
  facts: { readonly digest: Digest; readonly method: ContentOrigin; readonly fresh: boolean },
): EntryOutcome {
  return { outcome: "placed", inode: fs.lstatSync(job.to).ino, ...facts };
}

/** Opens a new file for writing, private until it is finished. */
export function createTarget(fs: FileSystem, path: string): number {
  return fs.openSync(path, "wx", 0o600);
}

/** Gives a published file's mode and time, whatever the umask says. */
export function finishTarget(fs: FileSystem, descriptor: number, executable: boolean): void {
  fs.fchmodSync(descriptor, executable ? 0o555 : 0o444);
  fs.futimesSync(descriptor, FIXED_MTIME_S, FIXED_MTIME_S);
}

/** Whether a file still has what `finishTarget` gave it. */
export function isSealed(fs: FileSystem, path: string, executable: boolean): boolean {
  return hasSeal(fs.lstatSync(path), executable);
}

function hasSeal({ mode, mtimeMs }: Stats, executable: boolean): boolean {
  return (mode & 0o7777) === (executable ? 0o555 : 0o444) && mtimeMs === FIXED_MTIME_S * 1000;
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
