/**
 * verifyTree: compares a published tree with its listing, path by path.
 *
 * Quick looks at what a file's inode says: type, mode, size, time, number, and where a link
 * points. Never ctime, since linking a blob into another generation changes it on the shared
 * inode. Full reads every byte as well.
 */

import type { Stats } from "node:fs";
import { join } from "node:path";
import { CodedError, invariant, systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { type ListingEntry, verifiedEntries } from "../identity/listing.ts";
import type { GenerationId } from "../identity/object-id.ts";
import type { Layout } from "../layout.ts";
import type { EntryPool } from "../stage/entry-pool.ts";
import type { Damage } from "../store.ts";
import { type checkEntry, isOwnLimit } from "./check-entry.ts";
import { readInodeRecord } from "./inode-record.ts";

export interface VerifyTree {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly id: GenerationId;
  /** Reads the contents; null for quick verification. */
  readonly pool: EntryPool | null;
  readonly onProgress?: (files: number, bytes: number) => void;
}

export interface TreeVerdict {
  readonly damage: readonly Damage[];
  /** Whether the inodes could be compared: not where the store was copied from elsewhere. */
  readonly inodesCompared: boolean;
}

export async function verifyTree({ fs, layout, id, pool, onProgress }: VerifyTree): Promise<TreeVerdict> {
  const tree = layout.generation(id);
  const report: Found["report"] = (path, kind, expected, seen) => ({
    generation: id,
    path,
    kind,
    expected,
    found: seen,
  });
  const found: Found = { fs, tree, damage: [], report };
  const { damage } = found;
  const root = fs.lstatSync(tree, { throwIfNoEntry: false });
  if (root === undefined) damage.push(report(".", "missing", "folder", null));
  const entries = provenEntries(found, layout.listing(id), id);
  if (root === undefined || entries === null) return { damage, inodesCompared: false };
  const record = readInodeRecord(fs, layout.inodeRecord(id));
  const isSamePlace = record !== null && record.device === root.dev && record.folder === root.ino;
  const inodes = isSamePlace && pool === null ? record.files : [];
  const { readable, folders } = checkEntries(found, { root, entries, inodes });
  checkExtras(found, entries, folders);
  if (pool === null) damage.push(...readable.filter(isResized).map((resized) => sizeDamage(found, resized)));
  else await checkContents(found, readable, pool, onProgress);
  return { damage, inodesCompared: isSamePlace };
}

interface Expected {
  readonly root: Stats;
  readonly entries: readonly ListingEntry[];
  /** In the listing's order; empty where they cannot be compared. */
  readonly inodes: readonly number[];
}

interface Standing {
  readonly readable: readonly ReadableFile[];
  /** The paths of folders that are folders indeed; "" for the tree's own. */
  readonly folders: ReadonlySet<string>;
}

/**
 * What is no folder has nothing below it: a link in its place may lead out of the tree, and what
 * stands there is neither compared nor, by a repair, touched.
 */
function checkEntries(found: Found, { root, entries, inodes }: Expected): Standing {
  const { tree, damage, report, fs } = found;
  const readable: ReadableFile[] = [];
  const folders = new Set<string>();
  checkFolder(found, ".", root);
  if (root.isDirectory()) folders.add("");
  let file = 0;
  for (const entry of entries) {
    const stats = folders.has(parentOf(entry.path)) ? statOrNull(fs, join(tree, entry.path)) : null;
    if (entry.kind === "folder" && stats?.isDirectory() === true) folders.add(entry.path);
    if (stats === null) damage.push(report(entry.path, "missing", entry.kind, null));
    else if (entry.kind === "folder") checkFolder(found, entry.path, stats);
    else if (checkStats(found, entry, stats, inodes[file])) readable.push({ ...entry, found: stats.size });
    if (entry.kind !== "folder") file += 1;
  }
  return { readable, folders };
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** The listing's entries; null, with its damage, where it does not prove itself. */
function provenEntries(
  { fs, damage, report }: Found,
  path: string,
  id: GenerationId,
): readonly ListingEntry[] | null {
  try {
    return verifiedEntries(fs.readFileSync(path), id);
  } catch (error) {
    if (isOwnLimit(error)) throw error;
    const isMissing = systemCode(error) === "ENOENT";
    damage.push(
      report(
        ".",
        "listing",
        id,
        error instanceof CodedError ? "malformed" : isMissing ? "missing" : "unreadable",
      ),
    );
    return null;
  }
}

interface Found {
  readonly fs: FileSystem;
  readonly tree: string;
  readonly damage: Damage[];
  readonly report: (
    path: string,
    kind: Damage["kind"],
    expected: string | null,
    found: string | null,
  ) => Damage;
}

interface ReadableFile {
  readonly path: string;
  readonly digest: string;
  /** As the listing has it. */
  readonly size: number;
  readonly found: number;
}

const isResized = ({ size, found }: ReadableFile): boolean => size !== found;

function sizeDamage({ report }: Found, { path, size, found }: ReadableFile): Damage {
  return report(path, "size", String(size), String(found));
}

/** Whether it is a file indeed, so that its size and content can be compared. */
function checkStats(
  { fs, tree, damage, report }: Found,
  entry: Exclude<ListingEntry, { kind: "folder" }>,
  stats: Stats,
  inode: number | undefined,
): boolean {
  const type = typeOf(stats);
  if (type !== entry.kind) {
    damage.push(report(entry.path, "type", entry.kind, type));
    return false;
  }
  if (stats.mtimeMs !== FIXED_MTIME_S * 1000) {
    damage.push(report(entry.path, "mtime", time(FIXED_MTIME_S * 1000), time(stats.mtimeMs)));
  }
  if (inode !== undefined && stats.ino !== inode) {
    damage.push(report(entry.path, "inode", String(inode), String(stats.ino)));
  }
  if (entry.kind === "link") {
    const target = fs.readlinkSync(join(tree, entry.path), "utf8");
    if (target !== entry.target) damage.push(report(entry.path, "target", entry.target, target));
    return false;
  }
  const mode = octal(stats.mode);
  const expectedMode = entry.executable ? "0555" : "0444";
  if (mode !== expectedMode) damage.push(report(entry.path, "mode", expectedMode, mode));
  return true;
}

function checkFolder({ damage, report }: Found, path: string, stats: Stats): void {
  const type = typeOf(stats);
  if (type !== "folder") damage.push(report(path, "type", "folder", type));
  else if (octal(stats.mode) !== "0555") damage.push(report(path, "mode", "0555", octal(stats.mode)));
}

function checkExtras(
  { fs, tree, damage, report }: Found,
  entries: readonly ListingEntry[],
  folders: ReadonlySet<string>,
): void {
  const expected = new Map([...folders].map((folder) => [folder, new Set<string>()]));
  for (const { path } of entries) {
    expected.get(parentOf(path))?.add(path.slice(path.lastIndexOf("/") + 1));
  }
  for (const [folder, names] of expected) {
    for (const name of namesIn(fs, join(tree, folder))) {
      if (!names.has(name))
        damage.push(report(folder === "" ? name : `${folder}/${name}`, "extra", null, "present"));
    }
  }
}

async function checkContents(
  found: Found,
  readable: readonly ReadableFile[],
  pool: EntryPool,
  onProgress: VerifyTree["onProgress"],
): Promise<void> {
  const { tree, damage, report } = found;
  const outcomes: ReturnType<ReturnType<typeof checkEntry>>[] = [];
  await pool.run("check", {
    count: readable.length,
    sizeOf: (index) => readable[index]?.found ?? 0,
    jobAt(index) {
      const file = readable[index];
      invariant(file !== undefined, "the pool asks for indexes below the count");
      return { path: join(tree, file.path), digest: file.digest, size: file.found };
    },
    take(index, outcome) {
      outcomes[index] = outcome;
    },
    onDone: onProgress,
  });
  for (const [index, file] of readable.entries()) {
    const outcome = outcomes[index] ?? null;
    const { path, digest } = file;
    if (outcome === "same" && !isResized(file)) continue;
    // A digest covers the size as well: where it agrees, the listing's size is what was changed.
    if (outcome === "same") damage.push(report(path, "listing", String(file.size), String(file.found)));
    else if (isResized(file)) damage.push(sizeDamage(found, file));
    else damage.push(report(path, outcome === null ? "unreadable" : "content", digest, outcome));
  }
}

const UNREACHABLE = new Set(["ENOENT", "ENOTDIR", "EACCES", "ELOOP"]);

function namesIn(fs: FileSystem, folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    // Where one may not look, the entries were reported as missing already. Anything else would
    // pass over files that should not be there.
    if (!UNREACHABLE.has(systemCode(error) ?? "")) throw error;
    return [];
  }
}

function statOrNull(fs: FileSystem, path: string): Stats | null {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    // A parent is no folder, or cannot be entered: to the tree it is missing.
    if (!UNREACHABLE.has(systemCode(error) ?? "")) throw error;
    return null;
  }
}

function typeOf(stats: Stats): string {
  if (stats.isFile()) return "file";
  if (stats.isSymbolicLink()) return "link";
  return stats.isDirectory() ? "folder" : "special";
}

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, "0");
const time = (ms: number): string => new Date(ms).toISOString();
