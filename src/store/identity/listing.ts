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
import { invariant } from "../../kernel/errors.ts";
import {
  digestIn,
  LISTING_HEADER,
  type ListingRecord,
  pathIn,
  recordsOf,
  targetIn,
} from "./listing-record.ts";
import {
  compareTreeEntries,
  type Digest,
  type EntryMode,
  type GenerationId,
  type TreeEntry,
  treeDigest,
} from "./object-id.ts";
import { proveListing } from "./prove-listing.ts";

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

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly leaves: Map<string, Exclude<ListingLeaf, { kind: "folder" }>>;
}

/** Folds leaves, in any order and each path once, into the listing and its id. */
export function buildListing(leaves: Iterable<ListingLeaf>): Listing {
  const root: Folder = { folders: new Map(), leaves: new Map() };
  let files = 0;
  let sizeBytes = 0;
  for (const leaf of leaves) {
    if (leaf.kind === "folder") {
      folderAt(root, leaf.path);
      continue;
    }
    files += 1;
    if (leaf.kind === "file") sizeBytes += leaf.size;
    const cut = leaf.path.lastIndexOf("/");
    folderAt(root, cut < 0 ? "" : leaf.path.slice(0, cut)).leaves.set(leaf.path.slice(cut + 1), leaf);
  }
  const folded = fold(root, 0);
  // Sized first and written once: joining text level by level would copy it once a level.
  const bytes = Buffer.allocUnsafe(LISTING_HEADER.length + folded.bytesBelow);
  const end = writeFolder(bytes, bytes.write(LISTING_HEADER, 0, "latin1"), folded, "");
  invariant(end === bytes.length, "a listing is as long as its records were measured to be");
  return { id: folded.digest, bytes, files, sizeBytes };
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

function folderAt(root: Folder, path: string): Folder {
  let folder = root;
  if (path === "") return folder;
  for (const name of path.split("/")) {
    let next = folder.folders.get(name);
    if (next === undefined) {
      next = { folders: new Map(), leaves: new Map() };
      folder.folders.set(name, next);
    }
    folder = next;
  }
  return folder;
}

interface FoldedFolder {
  readonly digest: Digest;
  /** How many bytes the records of all that is in it take. */
  readonly bytesBelow: number;
  /** Sorted. */
  readonly children: readonly FoldedChild[];
}

interface FoldedChild extends TreeEntry {
  /** A file's or target's size, or how much of the listing lies below a folder. */
  readonly number: number;
  readonly target: string | null;
  readonly folder: FoldedFolder | null;
}

// Mode, space, digest, space, tab and NUL: what a record takes beside its number and its path.
const RECORD_FRAME_BYTES = 6 + 1 + 64 + 1 + 1 + 1;

function fold(folder: Folder, prefixBytes: number): FoldedFolder {
  const children: FoldedChild[] = [];
  let bytesBelow = 0;
  const add = (child: FoldedChild) => {
    children.push(child);
    const targetBytes = child.target === null ? 0 : Buffer.byteLength(child.target) + 1;
    const pathBytes = prefixBytes + Buffer.byteLength(child.name);
    bytesBelow += RECORD_FRAME_BYTES + String(child.number).length + pathBytes + targetBytes;
    if (child.folder !== null) bytesBelow += child.folder.bytesBelow;
  };
  for (const [name, leaf] of folder.leaves) {
    const mode: EntryMode = leaf.kind === "link" ? "120000" : leaf.executable ? "100755" : "100644";
    const target = leaf.kind === "link" ? leaf.target : null;
    add({ name, mode, digest: leaf.digest, number: leaf.size, target, folder: null });
  }
  for (const [name, inner] of folder.folders) {
    const folded = fold(inner, prefixBytes + Buffer.byteLength(name) + 1);
    const { digest, bytesBelow: number } = folded;
    add({ name, mode: "040000", digest, number, target: null, folder: folded });
  }
  children.sort(compareTreeEntries);
  return { digest: treeDigest(children), bytesBelow, children };
}

function writeFolder(bytes: Buffer, start: number, { children }: FoldedFolder, prefix: string): number {
  let at = start;
  for (const { name, mode, digest, number, target, folder } of children) {
    const path = prefix + name;
    at += bytes.write(`${mode} ${digest} ${number}\t${path}\0`, at, "utf8");
    if (target !== null) at += bytes.write(`${target}\0`, at, "utf8");
    if (folder !== null) at = writeFolder(bytes, at, folder, `${path}/`);
  }
  return at;
}
