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
import type { Layout } from "../layout.ts";
import { writeNewFile } from "../write-new-file.ts";
import { addEntry, createPlan, type Plan } from "./plan.ts";

export interface RecordDeps {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly ids: Ids;
}

/** The entries of a remembered build, all of whose blobs are there; null where there is none. */
export function recallBuild({ fs, layout, ids }: RecordDeps, key: string): Plan | null {
  const bytes = readRecord({ fs, layout, ids }, key);
  const entries = bytes && foldedEntries(bytes);
  if (entries === null) return null;
  const plan = planOf(entries);
  for (const entry of plan) {
    if (entry.kind !== "blob") continue;
    const blob = layout.blob(entry.digest, entry.executable);
    if (fs.lstatSync(blob, { throwIfNoEntry: false }) === undefined) return null;
  }
  return plan;
}

/** Remembers a build by what it became in the store. */
export function rememberBuild(deps: RecordDeps, key: string, leaves: Iterable<ListingLeaf>): void {
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

function planOf(entries: readonly ListingEntry[]): Plan {
  const plan = createPlan();
  for (const entry of entries) {
    const { path } = entry;
    if (entry.kind === "link") addEntry(plan, { kind: "link", path, target: entry.target });
    else if (entry.kind === "folder") {
      // A folder with nothing below it in the listing is an empty one.
      if (entry.bytesBelow === 0) addEntry(plan, { kind: "folder", path });
    } else {
      const { executable, digest, size } = entry;
      // The store shares no empty files, so there is no blob of one.
      if (size === 0) addEntry(plan, { kind: "bytes", path, executable, bytes: NO_BYTES });
      else addEntry(plan, { kind: "blob", path, executable, digest, size });
    }
  }
  return plan;
}

const NO_BYTES = new Uint8Array(0);
