/**
 * Proves a listing by folding it up again, in one pass over its bytes and without an object for an
 * entry: the digest of each folder is computed from the records in it and compared with the one on
 * its own record, and the root's is the id.
 *
 * Only the canonical listing passes: numbers in their shortest form, names in Git's order, every
 * path below its folder's, every folder's count the bytes that its records take, every link's
 * target the one that was digested. Only a file's size is taken on trust: no digest here covers
 * it, the one of the file's content does.
 *
 * It shares no code with fold-tree.ts, which builds listings: each is a check of the other.
 */
import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import {
  DIGEST_DIGITS,
  DIGEST_OFFSET,
  digestIn,
  hexValue,
  LISTING_HEADER,
  type ListingRecord,
  malformedListing,
  recordAt,
  requireHeader,
} from "./listing-record.ts";
import { blobDigest, type Digest, type GenerationId } from "./object-id.ts";

/** A folder of a listing, and where the records of what lies below it stand. */
export interface ListedFolder {
  /** "" for the tree's own. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Which of all files and links of the listing stand directly in it. */
  readonly leaves: readonly number[];
  /** The files directly in it, and their sizes together in bytes. */
  readonly files: number;
  readonly sizeBytes: number;
}

/** Throws `generation_damaged` if it is not `id`'s, or was changed. Its folders, each before what is in it. */
export function proveListing(listing: Buffer, id: GenerationId): readonly ListedFolder[] {
  const folded = foldListing(listing);
  if (folded.id !== id) throw malformedListing(`it folds up to ${folded.id}, not to ${id}`);
  return folded.folders;
}

export interface FoldedListing {
  readonly id: GenerationId;
  readonly folders: readonly ListedFolder[];
}

/** What a listing folds up to. Throws `generation_damaged` where it is not canonical. */
export function foldListing(listing: Buffer): FoldedListing {
  requireHeader(listing);
  if (!isUtf8(listing)) throw malformedListing("it is not UTF-8");
  const folding: Folding = { listing, folders: [], leaves: 0, trees: Buffer.allocUnsafe(TREES_BYTES) };
  const id = foldFolder(
    folding,
    { pathAt: 0, pathEnd: 0, start: LISTING_HEADER.length, end: listing.length },
    0,
  );
  return { id, folders: folding.folders };
}

interface Folding {
  readonly listing: Buffer;
  readonly folders: ListedFolder[];
  leaves: number;
  /** The tree objects of the folders that are open, each behind the one that it is in. */
  trees: Buffer;
}

const TREES_BYTES = 64 * 1024;

interface OpenFolder {
  readonly pathAt: number;
  readonly pathEnd: number;
  readonly start: number;
  readonly end: number;
}

/** The digest of one folder; its tree object is put together from `treeAt` on, and not needed after. */
function foldFolder(folding: Folding, folder: OpenFolder, treeAt: number): Digest {
  const { listing } = folding;
  const { pathAt, pathEnd, start, end } = folder;
  const leaves: number[] = [];
  const listed = {
    path: listing.toString("utf8", pathAt, pathEnd),
    start,
    end,
    leaves,
    files: 0,
    sizeBytes: 0,
  };
  folding.folders.push(listed);
  let treeEnd = treeAt + TREE_HEADER_BYTES;
  let before: ListingRecord | null = null;
  for (let at = start; at < end; ) {
    const record = recordAt(listing, at);
    const nameAt = nameIn(listing, folder, record);
    if (before !== null && !isInOrder(listing, before, record, nameAt - record.pathAt))
      throw malformedListing(`the record at byte ${at} is out of order`);
    before = record;
    at = record.end;
    treeEnd = putTreeEntry(folding, treeEnd, record, nameAt);
    if (record.kind === "folder") {
      at += record.number;
      const digest = foldFolder(folding, { ...record, start: record.end, end: at }, treeEnd);
      if (digest !== digestIn(listing, record))
        throw malformedListing(`the folder at byte ${record.at} folds up to ${digest}`);
    } else {
      leaves.push(folding.leaves);
      folding.leaves += 1;
      if (record.kind === "link") proveTarget(listing, record);
      else {
        listed.files += 1;
        listed.sizeBytes += record.number;
      }
    }
    if (at > end) throw malformedListing(`the record at byte ${record.at} does not end in its folder`);
  }
  return treeDigestOf(folding.trees, treeAt, treeEnd);
}

const [SLASH, DOT] = [0x2f, 0x2e];

/** Where a record's own name begins in its path. */
function nameIn(listing: Buffer, folder: OpenFolder, { at, pathAt, pathEnd }: ListingRecord): number {
  const parentBytes = folder.pathEnd - folder.pathAt;
  const nameAt = parentBytes === 0 ? pathAt : pathAt + parentBytes + 1;
  if (
    isSame(listing, folder.pathAt, pathAt, parentBytes) &&
    (parentBytes === 0 || listing[nameAt - 1] === SLASH) &&
    isName(listing, nameAt, pathEnd)
  )
    return nameAt;
  throw malformedListing(`the path of the record at byte ${at} does not stand in its folder`);
}

function isSame(listing: Buffer, a: number, b: number, length: number): boolean {
  for (let offset = 0; offset < length; offset += 1)
    if (listing[a + offset] !== listing[b + offset]) return false;
  return true;
}

function isName(listing: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) if (listing[at] === SLASH) return false;
  const isDots = end - from <= 2 && listing[from] === DOT && listing[end - 1] === DOT;
  return end > from && !isDots;
}

/** Git's order, in which a folder's name ends in "/"; `nameOffset` is where names begin in both paths. */
function isInOrder(listing: Buffer, a: ListingRecord, b: ListingRecord, nameOffset: number): boolean {
  for (let offset = nameOffset; ; offset += 1) {
    const byteA = orderedByte(listing, a, offset);
    const byteB = orderedByte(listing, b, offset);
    if (byteA !== byteB) return byteA < byteB;
    if (byteA === END) return false;
  }
}

const END = -1;

function orderedByte(listing: Buffer, { kind, pathAt, pathEnd }: ListingRecord, offset: number): number {
  const at = pathAt + offset;
  if (at < pathEnd) return listing[at] as number;
  return at === pathEnd && kind === "folder" ? SLASH : END;
}

// "tree ", fifteen digits at most, NUL.
const TREE_HEADER_BYTES = 21;
const DIGEST_BYTES = DIGEST_DIGITS / 2;

/** Writes a record's entry of its folder's tree object; gives where it ends. */
function putTreeEntry(folding: Folding, treeEnd: number, record: ListingRecord, nameAt: number): number {
  const { listing } = folding;
  const room = treeEnd + DIGEST_OFFSET + (record.pathEnd - nameAt) + 1 + DIGEST_BYTES + TREE_HEADER_BYTES;
  if (room > folding.trees.length) folding.trees = Buffer.concat([folding.trees], room * 2);
  const { trees } = folding;
  let to = treeEnd;
  // Git writes a folder's mode without its leading zero.
  const modeAt = record.kind === "folder" ? record.at + 1 : record.at;
  for (let from = modeAt; from < record.at + DIGEST_OFFSET; from += 1) trees[to++] = listing[from] as number;
  for (let from = nameAt; from <= record.pathEnd; from += 1) trees[to++] = listing[from] as number;
  const digestAt = record.at + DIGEST_OFFSET;
  for (let from = digestAt; from < digestAt + DIGEST_DIGITS; from += 2)
    trees[to++] = hexValue(listing[from]) * 16 + hexValue(listing[from + 1]);
  return to;
}

/** The entries stand behind room for the header, which is as long as their length has digits. */
function treeDigestOf(trees: Buffer, treeAt: number, treeEnd: number): Digest {
  const entriesAt = treeAt + TREE_HEADER_BYTES;
  const header = `tree ${treeEnd - entriesAt}\0`;
  trees.write(header, entriesAt - header.length, "latin1");
  return hash("sha256", trees.subarray(entriesAt - header.length, treeEnd), "hex");
}

function proveTarget(listing: Buffer, record: ListingRecord): void {
  const target = listing.subarray(record.pathEnd + 1, record.end - 1);
  if (target.length !== record.number || blobDigest(target) !== digestIn(listing, record))
    throw malformedListing(`the target at byte ${record.pathEnd + 1} is not the one that was digested`);
}
