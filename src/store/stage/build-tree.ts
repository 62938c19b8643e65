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
 * the id is new are the others linked beside them. Digests are set in the plan's own tree.
 */
import type { FileSystem } from "../file-system.ts";
import { type FoldedTree, foldTree } from "../identity/fold-tree.ts";
import type { ListingLeaf } from "../identity/listing.ts";
import { blobDigest, type GenerationId } from "../identity/object-id.ts";
import {
  DIGEST_BYTES,
  digestAt,
  hasDigest,
  isFolder,
  MODE,
  pathReader,
  setDigest,
} from "../identity/tree-table.ts";
import { writeListing } from "../identity/write-listing.ts";
import { type Plan, sourcePath } from "../source/plan.ts";
import type { StageProgress } from "../store.ts";
import { type BuiltTree, freshContentsOf } from "./built-tree.ts";
import type { EntryPool } from "./entry-pool.ts";
import { createPlacing, type Placing, type Trouble } from "./placing.ts";
import type { StatCache } from "./stat-cache.ts";

export interface KnownTree {
  readonly outcome: "known";
  readonly listing: Pick<FoldedTree, "id" | "files" | "sizeBytes">;
  /** How many files had to be read. */
  readonly filesRead: number;
}

export type BuildOutcome = BuiltTree | KnownTree | Trouble;

export interface BuildTreeRequest {
  readonly fs: FileSystem;
  /** Opened only if there is something to place. */
  readonly openPool: () => EntryPool;
  /** Makes the staging folder, empty, where it is not made yet; its absolute path. */
  readonly openTree: () => string;
  readonly plan: Plan;
  readonly cache: StatCache;
  readonly isKnown: (id: GenerationId) => boolean;
  readonly onProgress: (progress: StageProgress) => void;
}

export async function buildTree(request: BuildTreeRequest): Promise<BuildOutcome> {
  const { plan, cache, isKnown } = request;
  const { read, unread, bytes } = sortContents(plan, cache);
  const placing = createPlacing({ ...request, total: { files: read.length + unread.length, bytes } });
  const early = await placing.place(unread);
  if (early !== null) return early;
  digestRest(plan);
  const folded = foldTree(plan.tree);
  if (isKnown(folded.id)) return { outcome: "known", listing: folded, filesRead: unread.length };

  const late = await placing.place(read);
  if (late !== null) return late;
  placing.placeRest();
  return builtTree(plan, folded, placing);
}

interface SortedContents {
  /** Rows whose digest is known: from the stat cache, or a remembered build. */
  readonly read: readonly number[];
  readonly unread: readonly number[];
  /** The size of both. */
  readonly bytes: number;
}

/** Sets the digests that the cache knows. */
function sortContents(plan: Plan, cache: StatCache): SortedContents {
  const { tree } = plan;
  const pathOf = pathReader(tree);
  const read: number[] = [];
  const unread: number[] = [];
  let bytes = 0;
  for (let row = 1; row < tree.rows; row += 1) {
    if (isFolder(tree, row) || tree.modes[row] === MODE.link || plan.bytes.has(row)) continue;
    bytes += tree.sizes[row]!;
    if (plan.originOf[row] !== 0) {
      const known = cache.get(sourcePath(plan, row, pathOf(row)), plan.statKeys, row);
      if (known !== null) tree.digests.set(known, row * DIGEST_BYTES);
    }
    (hasDigest(tree, row) ? read : unread).push(row);
  }
  return { read, unread, bytes };
}

/** Links, and what the assembly made itself. */
function digestRest({ tree, bytes }: Plan): void {
  for (const [row, target] of tree.targets) setDigest(tree, row, blobDigest(Buffer.from(target, "utf8")));
  for (const [row, content] of bytes) setDigest(tree, row, blobDigest(content));
}

function builtTree({ tree }: Plan, folded: FoldedTree, placing: Placing): BuiltTree {
  const { bytes, order } = writeListing(tree, folded);
  const { id, files, sizeBytes } = folded;
  const inodes = order.filter((row) => tree.modes[row] === MODE.file || tree.modes[row] === MODE.executable);
  return {
    outcome: "built",
    listing: { id, bytes, files, sizeBytes },
    inodes: Float64Array.from(inodes, (row) => placing.inodes[row]!),
    fresh: freshContentsOf(tree, placing.fresh),
    reused: placing.reused,
    methods: placing.methods,
  };
}

/** The leaves of a plan whose digests are known. */
export function* leavesOf(plan: Plan): Generator<ListingLeaf> {
  const { tree } = plan;
  const pathOf = pathReader(tree);
  for (let row = 1; row < tree.rows; row += 1) {
    if (tree.modes[row] === MODE.folder) continue;
    const path = pathOf(row);
    if (tree.modes[row] === MODE.emptyFolder) {
      yield { kind: "folder", path };
      continue;
    }
    const leaf = { path, digest: digestAt(tree, row), size: tree.sizes[row]! };
    const target = tree.targets.get(row);
    if (target !== undefined) yield { kind: "link", ...leaf, target };
    else yield { kind: "file", ...leaf, executable: tree.modes[row] === MODE.executable };
  }
}
