/**
 * Git's object ids over SHA-256: what a generation's id, and the name of every blob, is.
 *
 *   blob  sha256("blob " size NUL content)
 *   tree  sha256("tree " size NUL entries), an entry being mode " " name NUL digest(32 bytes),
 *         sorted by name as bytes, folders as if their names ended in "/"
 *
 * Source: Git's documentation of its object format with `--object-format=sha256`. Trees are
 * digested by @noble/hashes and contents by Node's native SHA-256; a test has each check the other.
 */
import { createHash } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** 64 lower-case hex digits. */
export type Digest = string;

/** The id of a tree, and so of a generation. */
export type GenerationId = string;

export type EntryMode = "100644" | "100755" | "120000" | "040000";

/** The digest of a folder that holds nothing. */
export const EMPTY_TREE: Digest = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

export interface TreeEntry {
  readonly name: string;
  readonly mode: EntryMode;
  readonly digest: Digest;
}

export function blobDigest(content: Uint8Array): Digest {
  return createHash("sha256").update(`blob ${content.byteLength}\0`).update(content).digest("hex");
}

/** A digest in progress, for content that is read in pieces; `size` is the whole in bytes. */
export function blobHasher(size: number): { update(piece: Uint8Array): void; digest(): Digest } {
  const hash = createHash("sha256").update(`blob ${size}\0`);
  return {
    update: (piece) => void hash.update(piece),
    digest: () => hash.digest("hex"),
  };
}

/** The digest of one folder; `entries` in any order. */
export function treeDigest(entries: readonly TreeEntry[]): Digest {
  const sorted = [...entries].sort(compareTreeEntries);
  const size = sorted.reduce(
    (sum, { name, mode }) => sum + gitMode(mode).length + Buffer.byteLength(name) + 34,
    0,
  );
  const tree = Buffer.allocUnsafe(size + 32);
  let at = tree.write(`tree ${size}\0`, 0, "latin1");
  const end = at + size;
  for (const { name, mode, digest } of sorted) {
    at += tree.write(`${gitMode(mode)} ${name}\0`, at, "utf8");
    at += tree.write(digest, at, "hex");
  }
  return bytesToHex(sha256(tree.subarray(0, end)));
}

/** Git writes a folder's mode without its leading zero. */
function gitMode(mode: EntryMode): string {
  return mode === "040000" ? "40000" : mode;
}

export function compareTreeEntries(a: TreeEntry, b: TreeEntry): number {
  return compareUtf8(
    a.mode === "040000" ? `${a.name}/` : a.name,
    b.mode === "040000" ? `${b.name}/` : b.name,
  );
}

// UTF-16 order and UTF-8 order differ only where surrogates stand, so bytes are compared just there.
const MAY_DIFFER = /[\ud800-\uffff]/;

export function compareUtf8(a: string, b: string): number {
  if (MAY_DIFFER.test(a) || MAY_DIFFER.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
