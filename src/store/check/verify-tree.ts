/**
 * verifyTree: compares a published tree with its listing, path by path.
 *
 * Quick looks at what a file's inode says: type, mode, size, time, number, and where a link
 * points. Never ctime, since linking a blob into another generation changes it on the shared
 * inode. Full reads every byte as well.
 */

import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { CodedError } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { type ListingEntry, verifiedEntries } from "../identity/listing.ts";
import type { GenerationId } from "../identity/object-id.ts";
import type { Layout } from "../layout.ts";
import type { EntryPool } from "../stage/entry-pool.ts";
import type { Damage } from "../store.ts";
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
  const report = (
    path: string,
    kind: Damage["kind"],
    expected: string | null,
    found: string | null,
  ): Damage => ({
    generation: id,
    path,
    kind,
    expected,
    found,
  });
  const root = fs.lstatSync(tree, { throwIfNoEntry: false });
  if (root === undefined) return { damage: [report(".", "missing", "folder", null)], inodesCompared: false };
  let entries: readonly ListingEntry[];
  try {
    entries = verifiedEntries(fs.readFileSync(layout.listing(id)), id);
  } catch (error) {
    const found = error instanceof CodedError ? "malformed" : "missing";
    return { damage: [report(".", "listing", id, found)], inodesCompared: false };
  }
  const record = readInodeRecord(fs, layout.inodeRecord(id));
  const isSamePlace = record !== null && record.device === root.dev && record.folder === root.ino;
  const damage: Damage[] = [];
  const intact: { readonly path: string; readonly digest: string; readonly size: number }[] = [];
  const found = { fs, tree, damage, report };
  checkFolder(found, ".", root);
  let file = 0;
  for (const entry of entries) {
    const stats = statOrNull(fs, join(tree, entry.path));
    if (stats === null) damage.push(report(entry.path, "missing", entry.kind, null));
    else if (entry.kind === "folder") checkFolder(found, entry.path, stats);
    else if (checkStats(found, entry, stats, isSamePlace && pool === null ? record.files[file] : undefined)) {
      if (entry.kind === "file") intact.push(entry);
    }
    if (entry.kind !== "folder") file += 1;
  }
  checkExtras(found, entries);
  if (pool !== null) await checkContents(found, intact, pool, onProgress);
  return { damage, inodesCompared: isSamePlace };
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

/** Whether the file is of the right type and size, so that its content is worth reading. */
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
    return true;
  }
  const mode = octal(stats.mode);
  const expectedMode = entry.executable ? "0555" : "0444";
  if (mode !== expectedMode) damage.push(report(entry.path, "mode", expectedMode, mode));
  if (stats.size === entry.size) return true;
  damage.push(report(entry.path, "size", String(entry.size), String(stats.size)));
  return false;
}

function checkFolder({ damage, report }: Found, path: string, stats: Stats): void {
  const type = typeOf(stats);
  if (type !== "folder") damage.push(report(path, "type", "folder", type));
  else if (octal(stats.mode) !== "0555") damage.push(report(path, "mode", "0555", octal(stats.mode)));
}

function checkExtras({ fs, tree, damage, report }: Found, entries: readonly ListingEntry[]): void {
  const expected = new Map<string, Set<string>>([["", new Set()]]);
  for (const { kind, path } of entries) {
    if (kind === "folder") expected.set(path, new Set());
    const parent = dirname(path);
    expected.get(parent === "." ? "" : parent)?.add(path.slice(path.lastIndexOf("/") + 1));
  }
  for (const [folder, names] of expected) {
    for (const name of namesIn(fs, join(tree, folder))) {
      if (!names.has(name))
        damage.push(report(folder === "" ? name : `${folder}/${name}`, "extra", null, "present"));
    }
  }
}

async function checkContents(
  { tree, damage, report }: Found,
  intact: readonly { readonly path: string; readonly digest: string; readonly size: number }[],
  pool: EntryPool,
  onProgress: VerifyTree["onProgress"],
): Promise<void> {
  const jobs = intact.map(({ path, digest, size }) => ({ path: join(tree, path), digest, size }));
  const outcomes = await pool.run("check", jobs, onProgress);
  for (const [index, { path, digest }] of intact.entries()) {
    const outcome = outcomes[index] ?? null;
    if (outcome === "same") continue;
    damage.push(report(path, outcome === null ? "unreadable" : "content", digest, outcome));
  }
}

function namesIn(fs: FileSystem, folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    // A folder that is missing, or something else, was reported as that already.
    return [];
  }
}

function statOrNull(fs: FileSystem, path: string): Stats | null {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // A parent is no folder, or cannot be entered: to the tree it is missing.
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
