/**
 * Makes a lost or damaged listing anew by digesting a tree that may be the generation: the
 * published one, or a copy that the caller names. Only a tree that folds up to the id is one.
 */
import { join } from "node:path";
import { CodedError } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { buildListing, type ListingLeaf } from "../identity/listing.ts";
import { blobDigest, blobHasher, type GenerationId } from "../identity/object-id.ts";
import type { StoreContext } from "../store-context.ts";

export interface RestoreListing {
  readonly id: GenerationId;
  readonly from: string | null;
  /** A name for the listing while it is written. */
  readonly beside: string;
}

/** `generation_damaged` where neither tree is the generation. */
export function restoreListing({ fs, layout }: StoreContext, { id, from, beside }: RestoreListing): void {
  for (const tree of [layout.generation(id), from]) {
    if (tree === null || fs.lstatSync(tree, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const listing = buildListing(leavesOf(fs, tree, ""));
    if (listing.id !== id) continue;
    const descriptor = fs.openSync(beside, "wx", 0o600);
    try {
      for (let at = 0; at < listing.bytes.length; ) at += fs.writeSync(descriptor, listing.bytes, at);
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(beside, layout.listing(id));
    return;
  }
  throw new CodedError(
    "generation_damaged",
    `The listing of generation ${id} is lost, and its tree is not whole.`,
    {
      hint: `swarm-gen repair ${id} --from SOURCE takes both from a whole copy.`,
      fields: { generation: id, changed: false },
    },
  );
}

const PIECE_BYTES = 1024 * 1024;

function* leavesOf(fs: FileSystem, tree: string, prefix: string): Generator<ListingLeaf> {
  const names = fs.readdirSync(join(tree, prefix), { withFileTypes: true });
  if (names.length === 0 && prefix !== "") yield { kind: "folder", path: prefix.slice(0, -1) };
  for (const name of names) {
    const path = `${prefix}${name.name}`;
    if (name.isDirectory()) yield* leavesOf(fs, tree, `${path}/`);
    else if (name.isSymbolicLink()) {
      const target = fs.readlinkSync(join(tree, path), "utf8");
      const bytes = Buffer.from(target, "utf8");
      yield { kind: "link", path, target, digest: blobDigest(bytes), size: bytes.length };
    } else if (name.isFile()) yield fileLeaf(fs, join(tree, path), path);
  }
}

function fileLeaf(fs: FileSystem, at: string, path: string): ListingLeaf {
  const descriptor = fs.openSync(at, "r");
  try {
    const { size, mode } = fs.fstatSync(descriptor);
    const hasher = blobHasher(size);
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
    for (let read = fs.readSync(descriptor, piece, 0, piece.length, null); read > 0; ) {
      hasher.update(piece.subarray(0, read));
      read = fs.readSync(descriptor, piece, 0, piece.length, null);
    }
    return { kind: "file", path, size, executable: (mode & 0o100) !== 0, digest: hasher.digest() };
  } finally {
    fs.closeSync(descriptor);
  }
}
