/**
 * Git's object ids over SHA-256: what a generation's id, and the name of every blob, is.
 *
 *   blob  sha256("blob " size NUL content)
 *   tree  sha256("tree " size NUL entries), an entry being mode " " name NUL digest(32 bytes),
 *         sorted by name as bytes, folders as if their names ended in "/"
 *
 * Source: Git's documentation of its object format with `--object-format=sha256`. Trees are
 * digested where they are folded (fold-tree.ts) and proven (prove-listing.ts), names compared as bytes.
 */
import { createHash } from "node:crypto";

/** 64 lower-case hex digits. */
export type Digest = string;

/** The id of a tree, and so of a generation. */
export type GenerationId = string;

/** The digest of a folder that holds nothing. */
export const EMPTY_TREE: Digest = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

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

// UTF-16 order and UTF-8 order differ only where surrogates stand, so bytes are compared just there.
const MAY_DIFFER = /[\ud800-\uffff]/;

export function compareUtf8(a: string, b: string): number {
  if (MAY_DIFFER.test(a) || MAY_DIFFER.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
