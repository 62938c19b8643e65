/**
 * Good copies: where the content of a digest still is, each candidate proven by reading it.
 *
 * The order is by trust and cost: blobs, the trees of other generations, then the given folder,
 * there by path first and by size and digest after.
 */
import { join } from "node:path";
import { systemCode } from "../../kernel/errors.ts";
import { type ListingEntry, readListing } from "../identity/listing.ts";
import type { Digest, GenerationId } from "../identity/object-id.ts";
import { listGenerations } from "../index/generations.ts";
import { createTarget, finishTarget } from "../stage/place-entry.ts";
import type { StoreContext } from "../store-context.ts";
import { checkEntry } from "./check-entry.ts";

type FileEntry = Extract<ListingEntry, { kind: "file" }>;

export interface GoodCopies {
  /** The absolute path of a proven copy; null where none is. */
  find(entry: FileEntry): string | null;
  /** Writes a private copy with a published file's mode and time, and mends the blob from it. */
  place(copy: string, entry: FileEntry, to: string): void;
}

export interface GoodCopiesRequest {
  /** The generation in repair: its own tree is no witness. */
  readonly id: GenerationId;
  readonly from: string | null;
}

export function createGoodCopies(context: StoreContext, { id, from }: GoodCopiesRequest): GoodCopies {
  const { fs, layout } = context;
  const check = checkEntry(fs);
  const isGood = (path: string, { digest, size }: FileEntry) => check({ path, digest, size }) === "same";
  let others: ReadonlyMap<Digest, readonly string[]> | null = null;
  let given: ReadonlyMap<number, readonly string[]> | null = null;
  return {
    find(entry) {
      const blobs = [layout.blob(entry.digest, false), layout.blob(entry.digest, true)];
      const blob = blobs.find((path) => isGood(path, entry));
      if (blob !== undefined) return blob;
      others ??= filesOfOthers(context, id);
      const sibling = others.get(entry.digest)?.find((path) => isGood(path, entry));
      if (sibling !== undefined) return sibling;
      if (from === null) return null;
      const inPlace = join(from, entry.path);
      if (isGood(inPlace, entry)) return inPlace;
      given ??= filesBySize(context, from);
      return given.get(entry.size)?.find((path) => isGood(path, entry)) ?? null;
    },
    place(copy, entry, to) {
      copyFile(context, copy, to, entry.executable);
      const blob = layout.blob(entry.digest, entry.executable);
      if (entry.size === 0 || blob === copy || isGood(blob, entry)) return;
      // The blob shared the damage, or is gone; without this the next stage would share it again.
      fs.mkdirSync(layout.blobFolder(entry.digest), { recursive: true, mode: 0o700 });
      const beside = `${to}.blob`;
      copyFile(context, copy, beside, entry.executable);
      fs.renameSync(beside, blob);
    },
  };
}

function filesOfOthers({ fs, layout, reading }: StoreContext, id: GenerationId): Map<Digest, string[]> {
  const files = new Map<Digest, string[]>();
  for (const other of listGenerations(reading())) {
    if (other.id === id || other.state !== "present") continue;
    for (const entry of entriesOrNone(() => [...readListing(fs.readFileSync(layout.listing(other.id)))])) {
      if (entry.kind !== "file") continue;
      const path = join(layout.generation(other.id), entry.path);
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

function copyFile({ fs }: StoreContext, from: string, to: string, executable: boolean): void {
  try {
    fs.unlinkSync(to);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  const source = fs.openSync(from, "r");
  try {
    const target = createTarget(fs, to);
    try {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      for (let read = fs.readSync(source, piece, 0, piece.length, null); read > 0; ) {
        for (let at = 0; at < read; ) at += fs.writeSync(target, piece, at, read - at, null);
        read = fs.readSync(source, piece, 0, piece.length, null);
      }
      finishTarget(fs, target, executable);
    } finally {
      fs.closeSync(target);
    }
  } finally {
    fs.closeSync(source);
  }
}
