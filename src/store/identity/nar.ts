/**
 * The Nix archive (NAR) of a tree, digested as it is written: the `narHash` that
 * `nix hash path` gives for the same tree.
 *
 *   str(s)   length as u64 little-endian, the bytes, zeros up to a multiple of 8
 *   archive  str("nix-archive-1") object
 *   object   ( type regular [executable ""] contents bytes )
 *            ( type symlink target t )
 *            ( type directory { entry ( name n node object ) } )   names in byte order
 *
 * Source: Eelco Dolstra, "The Purely Functional Software Deployment Model", figure 5.2. Folders
 * are ordered by name alone here, unlike in Git's trees.
 */
import { createHash, type Hash } from "node:crypto";
import { join } from "node:path";
import { CodedError } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import type { ListingEntry } from "./listing.ts";
import { blobHasher, compareUtf8 } from "./object-id.ts";

type Leaf = Exclude<ListingEntry, { kind: "folder" }>;
type Node = Leaf | Map<string, Node>;

export interface NarRequest {
  readonly fs: FileSystem;
  /** Absolute path of the tree. */
  readonly tree: string;
  readonly entries: Iterable<ListingEntry>;
}

/**
 * The NAR's SHA-256 in SRI form (`sha256-` and base64). Every content is checked against the
 * listing on the way: `generation_damaged` if one differs.
 */
export function narHash({ fs, tree, entries }: NarRequest): string {
  const hash = createHash("sha256");
  text(hash, "nix-archive-1");
  writeNode({ fs, tree, hash, piece: Buffer.allocUnsafe(PIECE_BYTES) }, folderOf(entries));
  return `sha256-${hash.digest("base64")}`;
}

interface Writing {
  readonly fs: FileSystem;
  readonly tree: string;
  readonly hash: Hash;
  readonly piece: Buffer;
}

const PIECE_BYTES = 1024 * 1024;

function folderOf(entries: Iterable<ListingEntry>): Map<string, Node> {
  const root = new Map<string, Node>();
  const folders = new Map<string, Map<string, Node>>([["", root]]);
  for (const entry of entries) {
    const cut = entry.path.lastIndexOf("/");
    const parent = folders.get(cut < 0 ? "" : entry.path.slice(0, cut));
    const node: Node = entry.kind === "folder" ? new Map<string, Node>() : entry;
    if (node instanceof Map) folders.set(entry.path, node);
    parent?.set(entry.path.slice(cut + 1), node);
  }
  return root;
}

function writeNode(writing: Writing, node: Node): void {
  const { hash } = writing;
  text(hash, "(", "type");
  if (node instanceof Map) {
    text(hash, "directory");
    for (const [name, child] of [...node].sort(([a], [b]) => compareUtf8(a, b))) {
      text(hash, "entry", "(", "name", name, "node");
      writeNode(writing, child);
      text(hash, ")");
    }
  } else if (node.kind === "link") {
    text(hash, "symlink", "target", node.target);
  } else {
    text(hash, "regular");
    if (node.executable) text(hash, "executable", "");
    text(hash, "contents");
    writeContent(writing, node);
  }
  text(hash, ")");
}

function writeContent(
  { fs, tree, hash, piece }: Writing,
  { path, size, digest }: Extract<Leaf, { kind: "file" }>,
): void {
  const hasher = blobHasher(size);
  let written = 0;
  hash.update(length(size));
  const descriptor = fs.openSync(join(tree, path), "r");
  try {
    for (;;) {
      const read = fs.readSync(descriptor, piece, 0, piece.length, null);
      if (read === 0) break;
      written += read;
      hash.update(piece.subarray(0, read));
      hasher.update(piece.subarray(0, read));
    }
  } finally {
    fs.closeSync(descriptor);
  }
  hash.update(padding(size));
  if (written === size && hasher.digest() === digest) return;
  throw new CodedError("generation_damaged", `${join(tree, path)} is not what its generation says.`, {
    fields: { path, expected: digest },
  });
}

/** All tokens in one update: there are a dozen to a file, and each update has its price. */
function text(hash: Hash, ...tokens: readonly string[]): void {
  const sizes = tokens.map((token) => Buffer.byteLength(token));
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + 8 + Math.ceil(size / 8) * 8, 0));
  let at = 0;
  for (const [index, token] of tokens.entries()) {
    const size = sizes[index] ?? 0;
    bytes.writeUInt32LE(size, at);
    bytes.write(token, at + 8, "utf8");
    at += 8 + Math.ceil(size / 8) * 8;
  }
  hash.update(bytes);
}

function length(size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(size));
  return bytes;
}

function padding(size: number): Buffer {
  return Buffer.alloc((8 - (size % 8)) % 8);
}
