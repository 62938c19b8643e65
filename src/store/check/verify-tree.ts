/**
 * verifyTree: compares a published tree with its listing.
 *
 * The listing is proven first. Then every folder is looked at, here, and after that what stands in
 * each, by the pool (check-folder.ts says at what). What is no folder has nothing below it: a link
 * in its place may lead out of the tree, and what stands there is neither compared nor, by a
 * repair, touched.
 */
import type { Stats } from "node:fs";
import { CodedError, invariant, systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { pathIn, recordsIn } from "../identity/listing-record.ts";
import { compareUtf8, type GenerationId } from "../identity/object-id.ts";
import { type ListedFolder, proveListing } from "../identity/prove-listing.ts";
import type { Layout } from "../layout.ts";
import type { EntryPool } from "../stage/entry-pool.ts";
import { readFully } from "../stage/place-entry.ts";
import type { Damage } from "../store.ts";
import { type FolderDamage, octal, permissions, statOrNull, typeOf } from "./check-folder.ts";
import { isOwnLimit } from "./digest-file.ts";
import { readInodeRecord } from "./inode-record.ts";

export interface VerifyTreeDeps {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly pool: EntryPool;
}

export interface HowToVerify {
  /** Contents are not read. */
  readonly quick: boolean;
  readonly onProgress?: ((files: number, bytes: number) => void) | undefined;
}

export interface TreeVerdict {
  /** By path. */
  readonly damage: readonly Damage[];
  /** Only by a quick one, and not where the store was copied from elsewhere. */
  readonly inodesCompared: boolean;
}

/** One at a time: all use the same memory for the listing. */
export type VerifyTree = (id: GenerationId, how: HowToVerify) => Promise<TreeVerdict>;

export function createVerifyTree({ fs, layout, pool }: VerifyTreeDeps): VerifyTree {
  const readShared = createSharedReader(fs);
  return async (id, { quick, onProgress }) => {
    const tree = layout.generation(id);
    const root = fs.lstatSync(tree, { throwIfNoEntry: false });
    const damage: FolderDamage[] = [];
    if (root === undefined) damage.push({ path: ".", kind: "missing", expected: "folder", found: null });
    const proven = readProven(() => readShared(layout.listing(id)), id);
    if ("reason" in proven) damage.push({ path: ".", kind: "listing", expected: id, found: proven.reason });
    if (root === undefined || "reason" in proven) return { damage: named(damage, id), inodesCompared: false };
    const record = quick ? readInodeRecord(fs, layout.inodeRecord(id)) : null;
    const isHere = record !== null && record.device === root.dev && record.folder === root.ino;
    const inodes = isHere ? record.files : null;
    const standing = standingFolders({ fs, tree, root, ...proven }, damage);
    const { listing } = proven;
    const found = await checkFolders({ pool, tree, listing, standing, inodes, quick, onProgress });
    damage.push(...found);
    damage.sort((a, b) => compareUtf8(a.path, b.path));
    return { damage: named(damage, id), inodesCompared: inodes !== null };
  };
}

const named = (damage: readonly FolderDamage[], generation: GenerationId): Damage[] =>
  damage.map((found) => ({ generation, ...found }));

interface Proven {
  readonly listing: Buffer;
  readonly folders: readonly ListedFolder[];
}

/** The listing, or why it does not prove itself. */
function readProven(read: () => Buffer, id: GenerationId): Proven | { readonly reason: string } {
  try {
    const listing = read();
    return { listing, folders: proveListing(listing, id) };
  } catch (error) {
    if (isOwnLimit(error)) throw error;
    if (error instanceof CodedError) return { reason: "malformed" };
    return { reason: systemCode(error) === "ENOENT" ? "missing" : "unreadable" };
  }
}

/** Reads files into memory that goes to another thread without being copied, each over the one before. */
function createSharedReader(fs: FileSystem): (path: string) => Buffer {
  let memory: Buffer = Buffer.alloc(0);
  return (path) => {
    const descriptor = fs.openSync(path, "r");
    try {
      const { size } = fs.fstatSync(descriptor);
      if (memory.length < size) memory = Buffer.from(new SharedArrayBuffer(size * 2));
      return memory.subarray(0, readFully(fs, descriptor, memory, size));
    } finally {
      fs.closeSync(descriptor);
    }
  };
}

interface Standing extends Proven {
  readonly fs: FileSystem;
  readonly tree: string;
  readonly root: Stats;
}

/** The folders that are folders indeed; of all others, and of what lies below them, the damage. */
function standingFolders(
  { fs, tree, root, listing, folders }: Standing,
  damage: FolderDamage[],
): ListedFolder[] {
  const standing = new Set<string>();
  const isStanding = ({ path, start, end }: ListedFolder) => {
    const isBelow = path === "" || standing.has(parentOf(path));
    const stats = path === "" ? root : isBelow ? statOrNull(fs, `${tree}/${path}`) : null;
    damage.push(...folderDamage(path === "" ? "." : path, stats));
    if (stats?.isDirectory() === true) {
      standing.add(path);
      return true;
    }
    for (const record of recordsIn(listing, { start, end }, () => false)) {
      if (record.kind !== "folder")
        damage.push({ path: pathIn(listing, record), kind: "missing", expected: record.kind, found: null });
    }
    return false;
  };
  return folders.filter(isStanding);
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

function folderDamage(path: string, stats: Stats | null): FolderDamage[] {
  if (stats === null) return [{ path, kind: "missing", expected: "folder", found: null }];
  const type = typeOf(stats);
  if (type !== "folder") return [{ path, kind: "type", expected: "folder", found: type }];
  const mode = permissions(stats);
  return mode === FOLDER_MODE
    ? []
    : [{ path, kind: "mode", expected: octal(FOLDER_MODE), found: octal(mode) }];
}

const FOLDER_MODE = 0o555;

interface CheckFolders extends Pick<HowToVerify, "quick"> {
  readonly pool: EntryPool;
  readonly tree: string;
  readonly listing: Buffer;
  readonly standing: readonly ListedFolder[];
  /** Of all files and links, in the listing's order; null where they are not compared. */
  readonly inodes: readonly number[] | null;
  readonly onProgress: HowToVerify["onProgress"];
}

async function checkFolders(request: CheckFolders): Promise<FolderDamage[]> {
  const { pool, tree, listing, standing, inodes, quick, onProgress } = request;
  const damage: FolderDamage[] = [];
  const folderAt = (index: number): ListedFolder => {
    const folder = standing[index];
    invariant(folder !== undefined, "the pool asks for indexes below the count");
    return folder;
  };
  await pool.run("checkFolder", {
    count: standing.length,
    sizeOf: (index) => (quick ? 0 : folderAt(index).sizeBytes),
    jobAt(index) {
      const { path, start, end, leaves } = folderAt(index);
      const own = inodes === null ? null : leaves.map((leaf) => inodes[leaf] ?? 0);
      return { listing, tree, path, start, end, inodes: own, contents: !quick };
    },
    take(index, found) {
      damage.push(...found);
      const { files, sizeBytes } = folderAt(index);
      onProgress?.(files, sizeBytes);
    },
  });
  return damage;
}
