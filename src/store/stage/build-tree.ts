/**
 * buildTree: makes a planned tree in a staging folder and learns every file's digest.
 *
 *   out  "known"     the store has this very tree; nothing, or only what had to be read, was written
 *        "built"     the tree stands there, with its listing
 *        "changed"   the source changed meanwhile: these paths
 *        "missing"   a remembered build names content that the store no longer has
 *        "refused"   these findings
 *
 * First the files of unknown content are placed, since only reading them tells the id. Only if
 * the id is new are the others linked beside them.
 */
import { basename, dirname, join } from "node:path";
import { invariant } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { buildListing, type Listing, type ListingLeaf } from "../identity/listing.ts";
import { blobDigest, type Digest, type GenerationId } from "../identity/object-id.ts";
import { type Finding, finding } from "../source/finding.ts";
import type { PlannedEntry } from "../source/planned-entry.ts";
import type { StageProgress } from "../store.ts";
import type { EntryPool } from "./entry-pool.ts";
import { type EntryOutcome, writeFully, writeTarget } from "./place-entry.ts";
import type { ContentOrigin } from "./share-content.ts";
import type { StatCache } from "./stat-cache.ts";

export interface BuiltFile {
  readonly digest: Digest;
  readonly size: number;
  readonly executable: boolean;
  readonly inode: number;
  /** The store did not have this content yet. */
  readonly fresh: boolean;
  readonly method: ContentOrigin;
}

/** What is known of a file before it is placed. */
type KnownContent = Pick<BuiltFile, "digest" | "size">;

export interface BuiltTree {
  readonly outcome: "built";
  readonly listing: Listing;
  readonly files: ReadonlyMap<string, BuiltFile>;
  /** How many files came by which method. */
  readonly methods: Readonly<Partial<Record<ContentOrigin, number>>>;
}

export interface KnownTree {
  readonly outcome: "known";
  readonly listing: Listing;
  readonly files: ReadonlyMap<string, KnownContent>;
}

type Trouble =
  | { readonly outcome: "changed"; readonly paths: readonly string[] }
  | { readonly outcome: "missing" }
  | { readonly outcome: "refused"; readonly findings: readonly Finding[] };

export type BuildOutcome = BuiltTree | KnownTree | Trouble;

export interface BuildTreeRequest {
  readonly fs: FileSystem;
  /** Opened only if there is something to place. */
  readonly openPool: () => EntryPool;
  /** Makes the staging folder, empty, where it is not made yet; its absolute path. */
  readonly openTree: () => string;
  readonly entries: readonly PlannedEntry[];
  readonly cache: StatCache;
  readonly isKnown: (id: GenerationId) => boolean;
  readonly onProgress: (progress: StageProgress) => void;
}

type ContentEntry = Extract<PlannedEntry, { kind: "file" | "blob" }>;

export async function buildTree(request: BuildTreeRequest): Promise<BuildOutcome> {
  const { entries, cache, isKnown } = request;
  const contents = entries.filter(
    (entry): entry is ContentEntry => entry.kind === "file" || entry.kind === "blob",
  );
  const known = new Map<string, KnownContent>();
  for (const entry of contents) {
    const digest = digestIn(cache, entry);
    if (digest !== undefined) known.set(entry.path, { digest, size: entry.size });
  }
  const placing = createPlacing(request, contents);
  const unread = contents.filter(({ path }) => !known.has(path));
  const early = await placing.place(unread);
  if (early !== null) return early;
  for (const { path } of unread) known.set(path, placing.placed(path));
  for (const entry of entries) {
    if (entry.kind !== "bytes") continue;
    known.set(entry.path, { digest: blobDigest(entry.bytes), size: entry.bytes.byteLength });
  }
  const listing = buildListing(leavesOf(entries, known));
  if (isKnown(listing.id)) return { outcome: "known", listing, files: known };

  const isUnread = new Set(unread);
  const late = await placing.place(contents.filter((entry) => !isUnread.has(entry)));
  if (late !== null) return late;
  for (const entry of entries) placing.placeRest(entry);
  return { outcome: "built", listing, files: placing.files, methods: placing.methods };
}

function digestIn(cache: StatCache, entry: ContentEntry): Digest | undefined {
  return entry.kind === "blob" ? entry.digest : cache.get(entry.from, entry.statKey);
}

/** Where entries are placed, and what came of it. */
function createPlacing(
  { fs, openPool, openTree, cache, onProgress }: BuildTreeRequest,
  all: readonly ContentEntry[],
) {
  const files = new Map<string, BuiltFile>();
  const methods: Partial<Record<ContentOrigin, number>> = {};
  const made = new Set<string>();
  const filesTotal = all.length;
  const bytesTotal = all.reduce((sum, { size }) => sum + size, 0);
  let filesDone = 0;
  let bytesDone = 0;

  /** Makes a folder of the tree, "." being its root; its absolute path. */
  const makeFolder = (folder: string): string => {
    const at = folder === "." ? openTree() : join(openTree(), folder);
    if (folder === "." || made.has(folder)) return at;
    makeFolder(dirname(folder));
    fs.mkdirSync(at, { mode: 0o700 });
    made.add(folder);
    return at;
  };
  const keep = (path: string, file: BuiltFile) => {
    files.set(path, file);
    methods[file.method] = (methods[file.method] ?? 0) + 1;
  };

  return {
    files,
    methods,
    placed(path: string): BuiltFile {
      const file = files.get(path);
      invariant(file !== undefined, `${path} was placed`);
      return file;
    },
    async place(entries: readonly ContentEntry[]): Promise<Trouble | null> {
      if (entries.length === 0) return null;
      const trouble = createTrouble();
      await openPool().run("place", {
        count: entries.length,
        sizeOf: (index) => entries[index]?.size ?? 0,
        jobAt(index) {
          const entry = entries[index];
          invariant(entry !== undefined, "the pool asks for indexes below the count");
          const { path, size, executable } = entry;
          const folder = makeFolder(dirname(path));
          const [from, statKey] = entry.kind === "file" ? [entry.from, entry.statKey] : [null, null];
          return {
            to: `${folder}/${basename(path)}`,
            executable,
            size,
            from,
            statKey,
            digest: digestIn(cache, entry) ?? null,
          };
        },
        take(index, outcome) {
          const entry = entries[index];
          invariant(entry !== undefined, "the pool answers for the indexes that it asked for");
          const { path, size, executable } = entry;
          if (outcome.outcome !== "placed") return trouble.add(path, outcome);
          const { digest, inode, fresh, method } = outcome;
          keep(path, { digest, size, executable, inode, fresh, method });
        },
        onDone(count, bytes) {
          filesDone += count;
          bytesDone += bytes;
          onProgress({ step: "digest", filesDone, filesTotal, bytesDone, bytesTotal });
        },
      });
      return trouble.found();
    },
    /** Links, empty folders and what the assembly made itself. */
    placeRest(entry: PlannedEntry): void {
      if (entry.kind === "folder") makeFolder(entry.path);
      if (entry.kind !== "link" && entry.kind !== "bytes") return;
      const path = join(makeFolder(dirname(entry.path)), basename(entry.path));
      if (entry.kind === "link") {
        fs.symlinkSync(entry.target, path);
        fs.lutimesSync(path, FIXED_MTIME_S, FIXED_MTIME_S);
        return;
      }
      const { bytes, executable } = entry;
      const inode = writeTarget(fs, { to: path, executable }, (target) => writeFully(fs, target, bytes));
      const size = bytes.byteLength;
      const fresh = size > 0;
      keep(entry.path, { digest: blobDigest(bytes), size, executable, inode, fresh, method: "written" });
    },
  };
}

function createTrouble() {
  const changed: string[] = [];
  const findings: Finding[] = [];
  let missing = false;
  return {
    add(path: string, outcome: Exclude<EntryOutcome, { outcome: "placed" }>): void {
      if (outcome.outcome === "changed") changed.push(path);
      else if (outcome.outcome === "missing") missing = true;
      else findings.push(finding("own-path", path, `it holds ${outcome.ownPath}`));
    },
    found(): Trouble | null {
      if (findings.length > 0) return { outcome: "refused", findings };
      if (missing) return { outcome: "missing" };
      return changed.length > 0 ? { outcome: "changed", paths: changed } : null;
    },
  };
}

function* leavesOf(
  entries: readonly PlannedEntry[],
  contents: ReadonlyMap<string, KnownContent>,
): Generator<ListingLeaf> {
  for (const entry of entries) {
    const { path } = entry;
    if (entry.kind === "folder") yield { kind: "folder", path };
    else if (entry.kind === "link") {
      const target = Buffer.from(entry.target, "utf8");
      yield { kind: "link", path, target: entry.target, size: target.length, digest: blobDigest(target) };
    } else {
      const content = contents.get(path);
      invariant(content !== undefined, `the content of ${path} is known`);
      yield { kind: "file", path, digest: content.digest, size: content.size, executable: entry.executable };
    }
  }
}
