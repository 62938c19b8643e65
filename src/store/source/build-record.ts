/**
 * What the store remembers of a dependency build: `<store>/builds/<key>`, the canonical listing of
 * its node_modules, so that the next stage with the same lockfile runs no package manager.
 *
 * A record saves time and proves nothing. One that is malformed, or names a blob that is gone, is
 * as good as none: the build is made again. A listing holds the digest of every folder, so a
 * record that was changed no longer folds up to itself.
 */

import type { Ids } from "../../kernel/clock.ts";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { buildListing, type ListingEntry, type ListingLeaf, readListing } from "../identity/listing.ts";
import { blobDigest } from "../identity/object-id.ts";
import type { Layout } from "../layout.ts";
import { writeNewFile } from "../write-new-file.ts";
import type { PlannedEntry } from "./planned-entry.ts";

export type StoredDigests = ReadonlyMap<string, { readonly digest: string; readonly size: number }>;

export interface RecordDeps {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly ids: Ids;
}

/** The entries of a remembered build, all of whose blobs are there; null where there is none. */
export function recallBuild({ fs, layout, ids }: RecordDeps, key: string): PlannedEntry[] | null {
  const bytes = readRecord({ fs, layout, ids }, key);
  const entries = bytes && foldedEntries(bytes);
  if (entries === null) return null;
  const planned = plannedFrom(entries);
  const isThere = (entry: PlannedEntry) =>
    entry.kind !== "blob" ||
    fs.lstatSync(layout.blob(entry.digest, entry.executable), { throwIfNoEntry: false }) !== undefined;
  return planned.every(isThere) ? planned : null;
}

/** Remembers a build by the digests that its files got; does nothing where one is missing. */
export function rememberBuild(
  deps: RecordDeps,
  key: string,
  entries: readonly PlannedEntry[],
  digests: StoredDigests,
): void {
  const leaves: ListingLeaf[] = [];
  for (const entry of entries) {
    const { path } = entry;
    if (entry.kind === "folder") {
      leaves.push({ kind: "folder", path });
    } else if (entry.kind === "link") {
      const target = Buffer.from(entry.target);
      leaves.push({
        kind: "link",
        path,
        target: entry.target,
        digest: blobDigest(target),
        size: target.byteLength,
      });
    } else {
      const stored = digests.get(path);
      if (stored === undefined) return;
      leaves.push({ kind: "file", path, executable: entry.executable, ...stored });
    }
  }
  writeRecord(deps, key, buildListing(leaves).bytes);
}

export function forgetBuild({ fs, layout }: RecordDeps, key: string): void {
  try {
    fs.unlinkSync(layout.build(key));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** The bytes of the record `key`; null where there is none. */
export function readRecord({ fs, layout }: RecordDeps, key: string): Buffer | null {
  try {
    return fs.readFileSync(layout.build(key));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * Writes a record whole or not at all. Not flushed: one that a power loss takes or tears is
 * noticed when it is read.
 */
export function writeRecord({ fs, layout, ids }: RecordDeps, key: string, bytes: Uint8Array): void {
  fs.mkdirSync(layout.builds, { recursive: true, mode: 0o700 });
  const temporary = `${layout.build(key)}.new-${ids.hex(8)}`;
  writeNewFile(fs, temporary, bytes);
  try {
    fs.renameSync(temporary, layout.build(key));
  } catch (error) {
    // A collection took it for the left-over of a build that ended. It costs the next build time.
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

function foldedEntries(bytes: Buffer): ListingEntry[] | null {
  try {
    const entries = [...readListing(bytes)];
    return buildListing(entries).bytes.equals(bytes) ? entries : null;
  } catch {
    return null;
  }
}

function plannedFrom(entries: readonly ListingEntry[]): PlannedEntry[] {
  const planned: PlannedEntry[] = [];
  for (const entry of entries) {
    const { path } = entry;
    if (entry.kind === "link") planned.push({ kind: "link", path, target: entry.target });
    else if (entry.kind === "folder") {
      // A folder with nothing below it in the listing is an empty one.
      if (entry.bytesBelow === 0) planned.push({ kind: "folder", path });
    } else if (entry.size === 0) {
      // The store shares no empty files, so there is no blob of one.
      planned.push({ kind: "bytes", path, executable: entry.executable, bytes: new Uint8Array(0) });
    } else {
      planned.push({
        kind: "blob",
        path,
        executable: entry.executable,
        digest: entry.digest,
        size: entry.size,
      });
    }
  }
  return planned;
}
