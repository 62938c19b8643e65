/**
 * Good copies: where the content of a digest still is, each candidate proven by reading it.
 *
 * The order is by cost: blobs, the trees of all generations, then the given folder, there by path
 * first and by size and digest after.
 */
import { join } from "node:path";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { type ListingEntry, readListing } from "../identity/listing.ts";
import { blobDigest, type Digest } from "../identity/object-id.ts";
import { listGenerations } from "../index/generations.ts";
import { isSealed, writeFully, writeTarget } from "../stage/place-entry.ts";
import type { StoreContext } from "../store-context.ts";
import { createDigestFile } from "./digest-file.ts";

const EMPTY_FILE = blobDigest(new Uint8Array(0));

type FileEntry = Extract<ListingEntry, { kind: "file" }>;

export interface GoodCopy {
  /** Absolute; null for the empty file, which is not shared and needs no witness. */
  readonly path: string | null;
}

export interface GoodCopies {
  /** A proven copy; null where none is. */
  find(entry: FileEntry): GoodCopy | null;
  /** Writes a private copy with a published file's mode and time; where the blob is bad, one for it too. */
  place(copy: GoodCopy, entry: FileEntry, to: string): void;
  /** Renames the copies for blobs into place; to be called once they are flushed. */
  putBlobs(): void;
}

/** `from` is a folder that the caller names. */
export function createGoodCopies(context: StoreContext, from: string | null): GoodCopies {
  const { fs, layout } = context;
  const digestFile = createDigestFile(fs);
  const isGood = (path: string, { digest, size }: FileEntry) => digestFile(path, size) === digest;
  const firstGood = (paths: readonly string[] | undefined, entry: FileEntry) =>
    paths?.find((path) => isGood(path, entry));
  const mended: (readonly [beside: string, blob: string])[] = [];
  let others: ReadonlyMap<Digest, readonly string[]> | null = null;
  let given: ReadonlyMap<number, readonly string[]> | null = null;
  const inTrees = (entry: FileEntry) => {
    others ??= filesOfTrees(context);
    // What stands behind a link is not the tree's, and goes out of reach when the link is mended.
    return others.get(entry.digest)?.find((path) => isGood(path, entry) && fs.realpathSync(path) === path);
  };
  const inGiven = (entry: FileEntry) => {
    if (from === null) return undefined;
    const inPlace = join(from, entry.path);
    if (isGood(inPlace, entry)) return inPlace;
    given ??= filesBySize(context, from);
    return firstGood(given.get(entry.size), entry);
  };
  return {
    find(entry) {
      if (entry.digest === EMPTY_FILE) return { path: null };
      const blobs = [layout.blob(entry.digest, false), layout.blob(entry.digest, true)];
      const path = firstGood(blobs, entry) ?? inTrees(entry) ?? inGiven(entry);
      return path === undefined ? null : { path };
    },
    place(copy, entry, to) {
      copyFile(context, copy.path, to, entry.executable);
      const blob = layout.blob(entry.digest, entry.executable);
      if (entry.size === 0 || (isGood(blob, entry) && isSealed(fs, blob, entry.executable))) return;
      // The blob shared the damage, or is gone; without this the next stage would share it again.
      fs.mkdirSync(layout.blobFolder(entry.digest), { recursive: true, mode: 0o700 });
      const beside = `${to}.blob`;
      copyFile(context, copy.path, beside, entry.executable);
      mended.push([beside, blob]);
    },
    putBlobs() {
      for (const [beside, blob] of mended.splice(0)) fs.renameSync(beside, blob);
    },
  };
}

/** Of all trees: in the one that is mended, too, a file may only have lost its mode, or stand twice. */
function filesOfTrees({ fs, layout, reading }: StoreContext): Map<Digest, string[]> {
  const files = new Map<Digest, string[]>();
  for (const { id, state } of listGenerations(reading())) {
    if (state !== "present") continue;
    for (const entry of entriesOrNone(() => [...readListing(fs.readFileSync(layout.listing(id)))])) {
      if (entry.kind !== "file") continue;
      const path = join(layout.generation(id), entry.path);
      files.set(entry.digest, [...(files.get(entry.digest) ?? []), path]);
    }
  }
  return files;
}

/** A generation whose own listing is damaged is no witness, and no reason to stop. */
function entriesOrNone(read: () => ListingEntry[]): readonly ListingEntry[] {
  try {
    return read();
  } catch {
    return [];
  }
}

function filesBySize({ fs }: StoreContext, root: string): Map<number, string[]> {
  const files = new Map<number, string[]>();
  const visit = (folder: string) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) {
        const { size } = fs.lstatSync(path);
        files.set(size, [...(files.get(size) ?? []), path]);
      }
    }
  };
  visit(root);
  return files;
}

const PIECE_BYTES = 1024 * 1024;

function copyFile({ fs }: StoreContext, from: string | null, to: string, executable: boolean): void {
  try {
    fs.unlinkSync(to);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  writeTarget(fs, { to, executable }, (target) => {
    if (from !== null) copyContent(fs, from, target);
  });
}

function copyContent(fs: FileSystem, from: string, target: number): void {
  const source = fs.openSync(from, "r");
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (;;) {
      const read = fs.readSync(source, piece, 0, piece.length, null);
      if (read === 0) return;
      writeFully(fs, target, piece.subarray(0, read));
    }
  } finally {
    fs.closeSync(source);
  }
}
