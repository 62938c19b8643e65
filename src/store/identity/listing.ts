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
import { CodedError, invariant } from "../../kernel/errors.ts";
import {
  blobDigest,
  compareTreeEntries,
  type Digest,
  type EntryMode,
  type GenerationId,
  type TreeEntry,
  treeDigest,
} from "./object-id.ts";

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

const HEADER = "swarm-gen listing 1\n";

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
  const bytes = Buffer.allocUnsafe(HEADER.length + folded.bytesBelow);
  const end = writeFolder(bytes, bytes.write(HEADER, 0, "latin1"), folded, "");
  invariant(end === bytes.length, "a listing is as long as its records were measured to be");
  return { id: folded.digest, bytes, files, sizeBytes };
}

/** Every entry of a listing in its order. Throws `generation_damaged` for anything malformed. */
export function* readListing(bytes: Buffer): Generator<ListingEntry> {
  yield* scanListing(bytes, () => true);
}

/** Like `readListing`, but passes over what lies below each folder that `enter` declines. */
export function* scanListing(
  bytes: Buffer,
  enter: (folder: Extract<ListingEntry, { kind: "folder" }>) => boolean,
): Generator<ListingEntry> {
  if (bytes.toString("latin1", 0, HEADER.length) !== HEADER) throw malformed("its first line is unknown");
  let at = HEADER.length;
  const field = (): string => {
    const end = bytes.indexOf(0, at);
    if (end < 0) throw malformed("it ends inside a record");
    const text = bytes.toString("utf8", at, end);
    at = end + 1;
    return text;
  };
  while (at < bytes.length) {
    const record = RECORD.exec(field());
    if (record === null) throw malformed(`the record that ends at byte ${at} is unknown`);
    const [, mode, digest, number, path] = record as unknown as [string, EntryMode, Digest, string, string];
    const size = Number(number);
    if (mode === "120000") {
      yield { kind: "link", path, digest, size, target: field() };
    } else if (mode === "040000") {
      const folder = { kind: "folder", path, digest, bytesBelow: size } as const;
      yield folder;
      if (!enter(folder)) at += size;
    } else {
      yield { kind: "file", path, digest, size, executable: mode === "100755" };
    }
  }
}

/** Kind and path of every entry, for a listing that this process has made: nothing is checked. */
export function* listedPaths(
  bytes: Buffer,
): Generator<{ readonly kind: ListingEntry["kind"]; readonly path: string }> {
  for (let at = HEADER.length; at < bytes.length; ) {
    const pathAt = bytes.indexOf(TAB, at) + 1;
    const end = bytes.indexOf(0, pathAt);
    const kind = bytes[at] === ZERO ? "folder" : bytes[at + 1] === TWO ? "link" : "file";
    yield { kind, path: bytes.toString("utf8", pathAt, end) };
    at = (kind === "link" ? bytes.indexOf(0, end + 1) : end) + 1;
  }
}

const [TAB, ZERO, TWO] = [0x09, 0x30, 0x32];

/**
 * Reads a listing that must be `id`'s, and proves it by folding it up again.
 * Throws `generation_damaged` if it is another's, or was changed. Only a file's size is taken on
 * trust: no digest here covers it, the one of the file's content does.
 */
export function verifiedEntries(bytes: Buffer, id: GenerationId): ListingEntry[] {
  const entries = [...readListing(bytes)];
  const again = buildListing(entries);
  if (again.id !== id) throw malformed(`it folds up to ${again.id}, not to ${id}`);
  if (!again.bytes.equals(bytes)) throw malformed(`it is not the canonical listing of ${id}`);
  // The fold covers a link's digest; that the target beside it is the one digested is seen here.
  for (const entry of entries) if (entry.kind === "link") proveTarget(entry);
  return entries;
}

const RECORD = /^(100644|100755|120000|040000) ([0-9a-f]{64}) (\d{1,15})\t(.+)$/s;

function proveTarget({ path, target, size, digest }: Extract<ListingEntry, { kind: "link" }>): void {
  const bytes = Buffer.from(target, "utf8");
  if (bytes.length !== size || blobDigest(bytes) !== digest)
    throw malformed(`the target of ${path} is not the one that was digested`);
}

function malformed(why: string): CodedError {
  return new CodedError("generation_damaged", `A generation's listing is malformed: ${why}.`, {
    hint: "swarm-gen repair ID --from SOURCE writes it anew from a good copy.",
  });
}

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
