/**
 * The canonical listing of a generation (`manifests/<id>`), format 1: what verify, diff, repair,
 * gc and export read instead of walking trees.
 *
 *   "swarm-gen listing 1" LF
 *   then, depth first and in Git's order within a folder, one record an entry:
 *   100644 SP digest SP size  TAB path NUL
 *   100755 SP digest SP size  TAB path NUL
 *   120000 SP digest SP size  TAB path NUL target NUL     digest and size are the target's
 *   040000 SP digest SP bytes TAB path NUL                bytes: how much of the listing lies below it
 *
 * The digests are Git's, so a listing proves itself: folded up, it gives the id that names it.
 * The count on a folder lets a reader skip a folder that it has seen in another generation.
 */
import { foldTree } from "./fold-tree.ts";
import {
  digestIn,
  LISTING_HEADER,
  type ListingRecord,
  pathIn,
  recordsOf,
  targetIn,
} from "./listing-record.ts";
import type { Digest, GenerationId } from "./object-id.ts";
import { proveListing } from "./prove-listing.ts";
import { addAt, createTreeTable, folderAt, MODE, setDigest } from "./tree-table.ts";
import { writeListing } from "./write-listing.ts";

export type ListingEntry =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly digest: Digest;
      readonly size: number;
      readonly executable: boolean;
    }
  | {
      readonly kind: "link";
      readonly path: string;
      readonly digest: Digest;
      readonly size: number;
      readonly target: string;
    }
  | { readonly kind: "folder"; readonly path: string; readonly digest: Digest; readonly bytesBelow: number };

/** What a listing is made from: every file and link, and the folders that are empty. */
export type ListingLeaf =
  | Exclude<ListingEntry, { kind: "folder" }>
  | { readonly kind: "folder"; readonly path: string };

export interface Listing {
  readonly id: GenerationId;
  readonly bytes: Buffer;
  /** Files and links. */
  readonly files: number;
  /** The sum of the files' sizes in bytes. */
  readonly sizeBytes: number;
}

/** Folds leaves, in any order and each path once, into the listing and its id. */
export function buildListing(leaves: Iterable<ListingLeaf>): Listing {
  const table = createTreeTable();
  for (const leaf of leaves) {
    if (leaf.kind === "folder") {
      table.modes[folderAt(table, leaf.path)] = MODE.emptyFolder;
      continue;
    }
    const { path, size } = leaf;
    const mode = leaf.kind === "link" ? MODE.link : leaf.executable ? MODE.executable : MODE.file;
    const row = addAt(table, path, { mode, size });
    setDigest(table, row, leaf.digest);
    if (leaf.kind === "link") table.targets.set(row, leaf.target);
  }
  const folded = foldTree(table);
  const { id, files, sizeBytes } = folded;
  return { id, bytes: writeListing(table, folded).bytes, files, sizeBytes };
}

/** Every entry of a listing in its order. Throws `generation_damaged` for anything malformed. */
export function* readListing(listing: Buffer): Generator<ListingEntry> {
  for (const record of recordsOf(listing, () => true)) yield entryOf(listing, record);
}

/**
 * The entries of a listing that must be `id`'s, proven first (prove-listing.ts): `generation_damaged`
 * if it is another's, or was changed.
 */
export function verifiedEntries(listing: Buffer, id: GenerationId): ListingEntry[] {
  proveListing(listing, id);
  return [...readListing(listing)];
}

function entryOf(listing: Buffer, record: ListingRecord): ListingEntry {
  const { kind, number, executable } = record;
  const path = pathIn(listing, record);
  const digest = digestIn(listing, record);
  if (kind === "folder") return { kind, path, digest, bytesBelow: number };
  if (kind === "file") return { kind, path, digest, size: number, executable };
  return { kind, path, digest, size: number, target: targetIn(listing, record) };
}

/** Kind and path of every entry, for a listing that this process has made: nothing is checked. */
export function* listedPaths(
  bytes: Buffer,
): Generator<{ readonly kind: ListingEntry["kind"]; readonly path: string }> {
  for (let at = LISTING_HEADER.length; at < bytes.length; ) {
    const pathAt = bytes.indexOf(TAB, at) + 1;
    const end = bytes.indexOf(0, pathAt);
    const kind = bytes[at] === ZERO ? "folder" : bytes[at + 1] === TWO ? "link" : "file";
    yield { kind, path: bytes.toString("utf8", pathAt, end) };
    at = (kind === "link" ? bytes.indexOf(0, end + 1) : end) + 1;
  }
}

const [TAB, ZERO, TWO] = [0x09, 0x30, 0x32];
