/**
 * buildTree: makes a planned tree in a staging folder and learns every file's digest.
 *
 *   out  "built"     the tree stands there, with its listing
 *        "changed"   the source changed meanwhile: these paths
 *        "missing"   a remembered build names content that the store no longer has
 *        "refused"   these findings
 */
import { dirname, join } from "node:path";
import { invariant } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { buildListing, type Listing, type ListingLeaf } from "../identity/listing.ts";
import { blobDigest, type Digest } from "../identity/object-id.ts";
import { type Finding, finding } from "../source/finding.ts";
import type { PlannedEntry } from "../source/planned-entry.ts";
import type { StageProgress } from "../store.ts";
import type { EntryPool } from "./entry-pool.ts";
import { createTarget, type EntryJob, type EntryOutcome, finishTarget, writeFully } from "./place-entry.ts";
import type { ContentOrigin } from "./share-content.ts";
import { cacheKey, type StatCache } from "./stat-cache.ts";

export interface BuiltFile {
  readonly digest: Digest;
  readonly size: number;
  readonly executable: boolean;
  readonly inode: number;
  /** The store did not have this content yet. */
  readonly fresh: boolean;
  readonly method: ContentOrigin;
}

export interface BuiltTree {
  readonly outcome: "built";
  readonly listing: Listing;
  readonly files: ReadonlyMap<string, BuiltFile>;
  /** How many files came by which method; fresh ones are `written`. */
  readonly methods: Readonly<Record<string, number>>;
}

export type BuildOutcome =
  | BuiltTree
  | { readonly outcome: "changed"; readonly paths: readonly string[] }
  | { readonly outcome: "missing" }
  | { readonly outcome: "refused"; readonly findings: readonly Finding[] };

export interface BuildTreeRequest {
  readonly fs: FileSystem;
  readonly pool: EntryPool;
  /** Absolute path of the staging folder; it exists and is empty. */
  readonly tree: string;
  readonly entries: readonly PlannedEntry[];
  readonly cache: StatCache;
  readonly onProgress: (progress: StageProgress) => void;
}

type ContentEntry = Extract<PlannedEntry, { kind: "file" | "blob" }>;

export async function buildTree(request: BuildTreeRequest): Promise<BuildOutcome> {
  const { fs, tree, entries, pool, cache, onProgress } = request;
  makeFolders(fs, tree, entries);
  const contents = entries.filter(
    (entry): entry is ContentEntry => entry.kind === "file" || entry.kind === "blob",
  );
  const jobs = contents.map((entry) => jobFor(entry, tree, cache));
  const filesTotal = jobs.length;
  const bytesTotal = jobs.reduce((sum, { size }) => sum + size, 0);
  let filesDone = 0;
  let bytesDone = 0;
  const outcomes = await pool.run("place", jobs, (files, bytes) => {
    filesDone += files;
    bytesDone += bytes;
    onProgress({ step: "digest", filesDone, filesTotal, bytesDone, bytesTotal });
  });
  const trouble = troubleIn(contents, outcomes);
  if (trouble !== null) return trouble;

  const files = new Map<string, BuiltFile>();
  const methods: Record<string, number> = {};
  for (const [index, { path, executable, size }] of contents.entries()) {
    const outcome = outcomes[index];
    invariant(outcome?.outcome === "placed", "every other outcome was handled above");
    const { digest, inode, fresh, method } = outcome;
    files.set(path, { digest, size, executable, inode, fresh, method });
    methods[method] = (methods[method] ?? 0) + 1;
  }
  for (const entry of entries) placeRest(fs, tree, entry, files);
  return { outcome: "built", listing: buildListing(leavesOf(entries, files)), files, methods };
}

/** The listing of a plan whose contents are all known by digest; null if any is not. */
export function listingFromCache(entries: readonly PlannedEntry[], cache: StatCache): Listing | null {
  const files = new Map<string, { digest: Digest; size: number }>();
  for (const entry of entries) {
    if (entry.kind === "blob") files.set(entry.path, entry);
    if (entry.kind === "bytes") {
      files.set(entry.path, { digest: blobDigest(entry.bytes), size: entry.bytes.byteLength });
    }
    if (entry.kind !== "file") continue;
    const digest = cache.get(cacheKey(entry.from, entry.statKey));
    if (digest === undefined) return null;
    files.set(entry.path, { digest, size: entry.size });
  }
  return buildListing(leavesOf(entries, files));
}

function* leavesOf(
  entries: readonly PlannedEntry[],
  files: ReadonlyMap<string, { readonly digest: Digest; readonly size: number }>,
): Generator<ListingLeaf> {
  for (const entry of entries) {
    const { path } = entry;
    if (entry.kind === "folder") yield { kind: "folder", path };
    else if (entry.kind === "link") {
      const target = Buffer.from(entry.target, "utf8");
      yield { kind: "link", path, target: entry.target, size: target.length, digest: blobDigest(target) };
    } else {
      const file = files.get(path);
      invariant(file !== undefined, `${path} was placed`);
      yield { kind: "file", path, digest: file.digest, size: file.size, executable: entry.executable };
    }
  }
}

function makeFolders(fs: FileSystem, tree: string, entries: readonly PlannedEntry[]): void {
  const made = new Set([tree]);
  const make = (folder: string) => {
    if (made.has(folder)) return;
    make(dirname(folder));
    fs.mkdirSync(folder, { mode: 0o700 });
    made.add(folder);
  };
  for (const { kind, path } of entries)
    make(kind === "folder" ? join(tree, path) : dirname(join(tree, path)));
}

function jobFor(entry: ContentEntry, tree: string, cache: StatCache): EntryJob {
  const { path, size, executable } = entry;
  const to = join(tree, path);
  if (entry.kind === "blob") return { to, executable, size, from: null, statKey: null, digest: entry.digest };
  const digest = cache.get(cacheKey(entry.from, entry.statKey)) ?? null;
  return { to, executable, size, from: entry.from, statKey: entry.statKey, digest };
}

function troubleIn(
  entries: readonly ContentEntry[],
  outcomes: readonly EntryOutcome[],
): Exclude<BuildOutcome, BuiltTree> | null {
  const changed: string[] = [];
  const findings: Finding[] = [];
  let missing = false;
  for (const [index, { path }] of entries.entries()) {
    const outcome = outcomes[index];
    if (outcome?.outcome === "changed") changed.push(path);
    if (outcome?.outcome === "missing") missing = true;
    if (outcome?.outcome === "own-path")
      findings.push(finding("own-path", path, `it holds ${outcome.ownPath}`));
  }
  if (findings.length > 0) return { outcome: "refused", findings };
  if (missing) return { outcome: "missing" };
  return changed.length > 0 ? { outcome: "changed", paths: changed } : null;
}

function placeRest(fs: FileSystem, tree: string, entry: PlannedEntry, files: Map<string, BuiltFile>): void {
  const path = join(tree, entry.path);
  if (entry.kind === "link") {
    fs.symlinkSync(entry.target, path);
    fs.lutimesSync(path, FIXED_MTIME_S, FIXED_MTIME_S);
  } else if (entry.kind === "bytes") {
    const { bytes, executable } = entry;
    const target = createTarget(fs, path);
    try {
      writeFully(fs, target, bytes);
      finishTarget(fs, target, executable);
    } finally {
      fs.closeSync(target);
    }
    const size = bytes.byteLength;
    const { ino: inode } = fs.lstatSync(path);
    files.set(entry.path, {
      digest: blobDigest(bytes),
      size,
      executable,
      inode,
      fresh: size > 0,
      method: "written",
    });
  }
}
