/**
 * stageFolder: a folder becomes a generation.
 *
 * A source that changes while it is read is noticed: every file is looked at again after all have
 * been read, so what is published stood there at one instant. A changed source is tried again,
 * three times in all, then refused; a mixed generation is never made.
 */
import { invariant, systemCode } from "../../kernel/errors.ts";
import type { GenerationId } from "../identity/object-id.ts";
import { isFolder, pathReader } from "../identity/tree-table.ts";
import { readGeneration, renewStagedAt } from "../index/generations.ts";
import { pinForStage } from "../profile/process-pins.ts";
import type { AssembledRuntime, Provenance } from "../source/assembled-runtime.ts";
import { finding, sourceRefused } from "../source/finding.ts";
import { type Plan, sourcePath } from "../source/plan.ts";
import { hasStatKey } from "../source/stat-keys.ts";
import type { StageProgress, StageRequest, StageResult } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { buildTree, type KnownTree, leavesOf } from "./build-tree.ts";
import type { BuiltTree } from "./built-tree.ts";
import { createPool } from "./create-pool.ts";
import type { EntryPool } from "./entry-pool.ts";
import { isPublished, publish } from "./publish.ts";
import { type StagingFolder, withStagingFolder } from "./staging-folder.ts";
import { cacheName, readStatCache, renewStatCache, type StatCache, writeStatCache } from "./stat-cache.ts";

const ATTEMPTS = 3;

type Attempt = StageResult | { readonly changed: readonly string[] };

export interface StageFolderRequest extends StageRequest {
  /** Where the folder was unpacked from, if it was. */
  readonly provenance?: Provenance;
}

export async function stageFolder(context: StoreContext, request: StageFolderRequest): Promise<StageResult> {
  const startedAt = context.clock.now();
  let changed: readonly string[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const result = await withStagingFolder(context, (staging) => attemptStage(context, request, staging));
    if (!("changed" in result)) return { ...result, durationMs: context.clock.now() - startedAt };
    changed = result.changed;
  }
  throw sourceRefused(
    request.source,
    changed.map((path) => finding("changed", path, `in each of ${ATTEMPTS} attempts`)),
  );
}

async function attemptStage(
  context: StoreContext,
  request: StageFolderRequest,
  staging: StagingFolder,
): Promise<Attempt> {
  const walkedAt = context.clock.now();
  const assembled = await assemble(context, request, staging);
  context.failpoints.hit("stage:assembled");
  const opened: EntryPool[] = [];
  const openPool = () => {
    const pool = opened[0] ?? poolFor(context, assembled);
    opened[0] = pool;
    return pool;
  };
  try {
    return await stageAssembled(context, { request, staging, assembled, walkedAt, openPool });
  } finally {
    await opened[0]?.close();
    await assembled.release?.();
  }
}

async function assemble(context: StoreContext, request: StageFolderRequest, staging: StagingFolder) {
  const sources = await context.loadSources();
  const { source, recipe, bare, name, acceptOwnPaths, provenance, signal, onProgress } = request;
  onProgress?.({ step: "walk", filesDone: 0, filesTotal: 0, bytesDone: 0, bytesTotal: 0 });
  return sources.assemble({
    source,
    ...(recipe === undefined ? {} : { recipe }),
    ...(bare === undefined ? {} : { bare }),
    ...(name === undefined ? {} : { name }),
    ...(acceptOwnPaths === undefined ? {} : { acceptOwnPaths }),
    ...(provenance === undefined ? {} : { provenance }),
    ...(signal === undefined ? {} : { signal }),
    scratch: staging.scratch,
    onBuild: () => onProgress?.({ step: "build", filesDone: 0, filesTotal: 0, bytesDone: 0, bytesTotal: 0 }),
  });
}

interface Attempting {
  readonly request: StageFolderRequest;
  readonly staging: StagingFolder;
  readonly assembled: AssembledRuntime;
  readonly walkedAt: number;
  readonly openPool: () => EntryPool;
}

async function stageAssembled(context: StoreContext, attempting: Attempting): Promise<Attempt> {
  const { fs, layout, failpoints } = context;
  const { request, staging, assembled, openPool } = attempting;
  const { plan, ownPaths } = assembled;
  const onProgress = (progress: StageProgress) => {
    request.signal?.throwIfAborted();
    request.onProgress?.(progress);
  };
  const cache = readStatCache(fs, layout, cacheName(request.source, ownPaths));
  const isKnown = (id: GenerationId) => isPublished(context, context.reading(), id);
  const built = await buildTree({
    fs,
    openPool,
    openTree: staging.tree,
    plan,
    cache,
    isKnown,
    onProgress,
  });
  failpoints.hit("stage:tree-built");
  if (built.outcome === "refused") throw sourceRefused(request.source, built.findings);
  if (built.outcome === "changed") return { changed: built.paths };
  if (built.outcome === "missing") {
    invariant(assembled.forget !== null, "only a remembered build names content by digest");
    assembled.forget();
    return { changed: ["node_modules"] };
  }
  const changed = changedSince(context, plan);
  if (changed.length > 0) return { changed };
  // Collected between the look and the pin: what is known has to be made again.
  if (built.outcome === "known" && !takeKnown(context, request, built.listing.id)) return { changed: ["."] };
  const isNew = built.outcome === "built" && (await publishBuilt(context, attempting, built)) === "published";
  failpoints.hit("stage:published");
  remember(context, attempting, built, cache);
  return resultOf(assembled.name, built, isNew);
}

async function publishBuilt(context: StoreContext, attempting: Attempting, built: BuiltTree) {
  const { request, staging, assembled, openPool } = attempting;
  request.onProgress?.(finished("flush", built));
  const now = context.clock.now();
  const { name, provenance } = assembled;
  const within = request.hold ? pinForStage(context, built.listing.id, now) : () => {};
  const outcome = await publish(context, { staging, built, pool: openPool(), name, provenance, now, within });
  request.onProgress?.(finished("publish", built));
  return outcome;
}

/** Pins a generation that is there already, in the same step as the look at its row. */
function takeKnown(context: StoreContext, request: StageFolderRequest, id: GenerationId): boolean {
  if (!request.hold) return true;
  const db = context.writing();
  return db
    .transaction(() => {
      if (!isPublished(context, db, id)) return false;
      pinForStage(context, id, context.clock.now())(db);
      return true;
    })
    .immediate();
}

function poolFor(context: StoreContext, { plan, ownPaths }: AssembledRuntime): EntryPool {
  const { tree } = plan;
  let files = 0;
  let bytes = 0;
  for (let row = 0; row < tree.rows; row += 1) {
    if (isFolder(tree, row)) continue;
    files += 1;
    if (plan.originOf[row] !== 0) bytes += tree.sizes[row]!;
  }
  return createPool(context, { files, bytes, ownPaths });
}

/** The paths of files and folders that are no longer what the walk saw. */
function changedSince({ fs }: StoreContext, plan: Plan): string[] {
  const { tree } = plan;
  const pathOf = pathReader(tree);
  const changed: string[] = [];
  for (let row = 0; row < tree.rows; row += 1) {
    if (plan.originOf[row] === 0) continue;
    const path = pathOf(row);
    const from = sourcePath(plan, row, path);
    const stats = fs.lstatSync(from, { bigint: true, throwIfNoEntry: false });
    if (stats !== undefined && hasStatKey(plan.statKeys, row, stats)) continue;
    changed.push(isFolder(tree, row) ? from : path);
  }
  return changed;
}

/** What the next command profits from. The generation stands by then, so that a full disk fails nothing here. */
function remember(
  context: StoreContext,
  attempting: Attempting,
  built: BuiltTree | KnownTree,
  cache: StatCache,
): void {
  try {
    rememberStats(context, attempting, built, cache);
    if (built.outcome === "built") attempting.assembled.remember?.(leavesOf(attempting.assembled.plan));
    else renewGrace(context, built.listing.id);
  } catch (error) {
    if (systemCode(error) === null) throw error;
  }
}

// Not at every stage: what is known already should be told without a write.
const RENEWAL_MS = 60 * 60 * 1000;

/** Who stages what the store has may be about to activate it, as with what is new. */
function renewGrace(context: StoreContext, id: GenerationId): void {
  const now = context.clock.now();
  const row = readGeneration(context.reading(), id);
  if (row !== null && now - row.stagedAt > RENEWAL_MS) renewStagedAt(context.writing(), { id, now });
}

function rememberStats(
  context: StoreContext,
  { request, assembled, staging, walkedAt }: Attempting,
  built: BuiltTree | KnownTree,
  cache: StatCache,
): void {
  const { fs, layout, clock } = context;
  const { plan, ownPaths } = assembled;
  const isPassing = (path: string) => path.startsWith(`${layout.root}/`);
  // Unpacked into a staging folder, whose name will not come again.
  if (isPassing(request.source)) return;
  const lasting = filesOfSources(plan, isPassing);
  const name = cacheName(request.source, ownPaths);
  // All of them came from the cache, and there was nothing else in it.
  if (built.outcome === "known" && built.filesRead === 0 && cache.size === lasting.length) {
    renewStatCache(fs, layout, name, clock.now());
    return;
  }
  function* entries() {
    const pathOf = pathReader(plan.tree);
    const { statKeys: keys, tree } = plan;
    for (const row of lasting) {
      yield { path: sourcePath(plan, row, pathOf(row)), keys, digests: tree.digests, row };
    }
  }
  writeStatCache(fs, layout, { name, entries: entries(), walkedAt, suffix: `tmp-${staging.hex}` });
}

/** The rows of files that will be found in the same place again. */
function filesOfSources(plan: Plan, isPassing: (path: string) => boolean): number[] {
  const passing = plan.origins.map(isPassing);
  const rows: number[] = [];
  for (let row = 1; row < plan.tree.rows; row += 1) {
    const origin = plan.originOf[row]!;
    if (origin !== 0 && !passing[origin - 1] && !isFolder(plan.tree, row)) rows.push(row);
  }
  return rows;
}

function finished(step: "flush" | "publish", { listing }: BuiltTree): StageProgress {
  const { files, sizeBytes } = listing;
  return { step, filesDone: files, filesTotal: files, bytesDone: sizeBytes, bytesTotal: sizeBytes };
}

function resultOf(name: string, built: BuiltTree | KnownTree, isNew: boolean): StageResult {
  const { id, files, sizeBytes: bytes } = built.listing;
  const reused = built.outcome === "known" ? { files, bytes } : built.reused;
  return { generation: id, name, new: isNew, files, bytes, reused, durationMs: 0 };
}
