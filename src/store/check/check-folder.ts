/**
 * checkFolder: compares what stands directly in one folder of a published tree with the records
 * that its listing has for it: every file and link, and that nothing else is there. The folders in
 * it are only known to be expected; the caller looks at each.
 *
 * Without contents it looks at what an inode says: type, mode, size, time, number, and where a link
 * points. Never ctime, since linking a blob into another generation changes it on the shared inode.
 * With contents it reads every byte as well.
 */
import type { Stats } from "node:fs";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { digestIn, type ListingRecord, pathIn, recordsIn, targetIn } from "../identity/listing-record.ts";
import type { ListedFolder } from "../identity/prove-listing.ts";
import type { Damage } from "../store.ts";
import { createDigestFile, type DigestFile } from "./digest-file.ts";

export interface CheckFolderJob extends Pick<ListedFolder, "path" | "start" | "end"> {
  /** The whole listing, proven; in memory that threads share, since it goes along with every batch. */
  readonly listing: Uint8Array;
  /** Absolute path of the tree. */
  readonly tree: string;
  /** Of the files and links directly in the folder, in order; null where they are not compared. */
  readonly inodes: readonly number[] | null;
  readonly contents: boolean;
}

export type FolderDamage = Omit<Damage, "generation">;

export function createCheckFolder(fs: FileSystem): (job: CheckFolderJob) => readonly FolderDamage[] {
  const digestFile = createDigestFile(fs);
  return (job) => {
    const listing = Buffer.from(job.listing.buffer, job.listing.byteOffset, job.listing.byteLength);
    const prefix = job.path === "" ? "" : `${job.path}/`;
    const damage: FolderDamage[] = [];
    const report: Report = (path, kind, expected, found) => damage.push({ path, kind, expected, found });
    const names = new Set<string>();
    let leaves = 0;
    for (const record of recordsIn(listing, job, () => false)) {
      const path = pathIn(listing, record);
      names.add(path.slice(prefix.length));
      if (record.kind === "folder") continue;
      const inode = job.inodes?.[leaves];
      const leaf = { listing, record, path, at: `${job.tree}/${path}`, inode };
      checkLeaf(fs, leaf, job.contents ? digestFile : null, report);
      leaves += 1;
    }
    for (const name of namesIn(fs, `${job.tree}/${prefix}`)) {
      if (!names.has(name)) report(prefix + name, "extra", null, "present");
    }
    return damage;
  };
}

type Report = (path: string, kind: Damage["kind"], expected: string | null, found: string | null) => void;

interface Leaf {
  readonly listing: Buffer;
  readonly record: ListingRecord;
  readonly path: string;
  /** Absolute. */
  readonly at: string;
  readonly inode: number | undefined;
}

function checkLeaf(fs: FileSystem, leaf: Leaf, digestFile: DigestFile | null, report: Report): void {
  const { listing, record, path, at, inode } = leaf;
  const stats = statOrNull(fs, at);
  const type = stats === null ? null : typeOf(stats);
  if (stats === null || type !== record.kind) {
    report(path, stats === null ? "missing" : "type", record.kind, type);
    return;
  }
  if (stats.mtimeMs !== FIXED_MTIME_MS) report(path, "mtime", time(FIXED_MTIME_MS), time(stats.mtimeMs));
  if (inode !== undefined && stats.ino !== inode) report(path, "inode", String(inode), String(stats.ino));
  if (record.kind === "link") {
    const expected = targetIn(listing, record);
    const target = fs.readlinkSync(at, "utf8");
    if (target !== expected) report(path, "target", expected, target);
    return;
  }
  const mode = record.executable ? 0o555 : 0o444;
  if (permissions(stats) !== mode) report(path, "mode", octal(mode), octal(permissions(stats)));
  checkContent(leaf, stats.size, digestFile, report);
}

function checkContent(
  { listing, record, path, at }: Leaf,
  size: number,
  digestFile: DigestFile | null,
  report: Report,
): void {
  const isResized = size !== record.number;
  const reportSize = (kind: "listing" | "size") => report(path, kind, String(record.number), String(size));
  if (digestFile === null) {
    if (isResized) reportSize("size");
    return;
  }
  const digest = digestIn(listing, record);
  const found = digestFile(at, size);
  // A digest covers the size as well: where it agrees, the listing's size is what was changed.
  if (isResized) reportSize(found === digest ? "listing" : "size");
  else if (found !== digest) report(path, found === null ? "unreadable" : "content", digest, found);
}

const FIXED_MTIME_MS = FIXED_MTIME_S * 1000;

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

/** Null where nothing is, or where a parent is no folder or cannot be entered. */
export function statOrNull(fs: FileSystem, path: string): Stats | null {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (!UNREACHABLE.has(systemCode(error) ?? "")) throw error;
    return null;
  }
}

export function typeOf(stats: Stats): string {
  if (stats.isFile()) return "file";
  if (stats.isSymbolicLink()) return "link";
  return stats.isDirectory() ? "folder" : "special";
}

export const permissions = ({ mode }: Stats): number => mode & 0o7777;
export const octal = (mode: number): string => mode.toString(8).padStart(4, "0");
const time = (ms: number): string => new Date(ms).toISOString();
