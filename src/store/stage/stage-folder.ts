/**
 * stageFolder: a folder becomes a generation.
 *
 * A source that changes while it is read is noticed: every file is looked at again after all have
 * been read, so what is published stood there at one instant. A changed source is tried again,
 * three times in all, then refused; a mixed generation is never made.
 */
import { invariant } from "../../kernel/errors.ts";
import type { Listing } from "../identity/listing.ts";
import { pinForStage } from "../profile/process-pins.ts";
import type { AssembledRuntime, Provenance } from "../source/assembled-runtime.ts";
import { finding, sourceRefused } from "../source/finding.ts";
import { statKey } from "../source/stat-key.ts";
import type { StageRequest, StageResult } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { type BuiltTree, buildTree, listingFromCache } from "./build-tree.ts";
import { createPool } from "./create-pool.ts";
import type { EntryPool } from "./entry-pool.ts";
import { isPublished, publish } from "./publish.ts";
import { type StagingFolder, withStagingFolder } from "./staging-folder.ts";
import { cacheName, readStatCache, type StatCache, writeStatCache } from "./stat-cache.ts";

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
  const { fs, layout, clock, failpoints } = context;
  const walkedAt = clock.now();
  const sources = await context.loadSources();
  const assembled = await sources.assemble({
    source: request.source,
    ...(request.recipe === undefined ? {} : { recipe: request.recipe }),
    ...(request.bare === undefined ? {} : { bare: request.bare }),
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(request.acceptOwnPaths === undefined ? {} : { acceptOwnPaths: request.acceptOwnPaths }),
    ...(request.provenance === undefined ? {} : { provenance: request.provenance }),
    scratch: staging.scratch,
  });
  failpoints.hit("stage:assembled");
  const cacheFile = cacheName(request.source, assembled.ownPaths);
  const cache = readStatCache(fs, layout, cacheFile);

  const known = listingFromCache(assembled.entries, cache);
  if (known !== null && isPublished(context, context.writing(), known.id)) {
    const changed = changedSince(context, assembled);
    if (changed.length > 0) return { changed };
    const taken = takeKnown(context, request, known);
    if (taken)
      return resultOf(assembled, known, {
        isNew: false,
        reused: { files: known.files, bytes: known.sizeBytes },
      });
  }
  return buildAndPublish(context, { request, staging, assembled, cache, cacheFile, walkedAt });
}

interface Attempting {
  readonly request: StageFolderRequest;
  readonly staging: StagingFolder;
  readonly assembled: AssembledRuntime;
  readonly cache: StatCache;
  readonly cacheFile: string;
  readonly walkedAt: number;
}

async function buildAndPublish(context: StoreContext, attempting: Attempting): Promise<Attempt> {
  const { fs, clock, failpoints } = context;
  const { request, staging, assembled, cache } = attempting;
  const onProgress = request.onProgress ?? (() => {});
  const pool = poolFor(context, assembled);
  try {
    const built = await buildTree({
      fs,
      pool,
      tree: staging.tree,
      entries: assembled.entries,
      cache,
      onProgress,
    });
    failpoints.hit("stage:tree-built");
    if (built.outcome === "refused") throw sourceRefused(request.source, built.findings);
    if (built.outcome === "missing") {
      invariant(assembled.forget !== null, "only a remembered build names content by digest");
      assembled.forget();
      return { changed: ["node_modules"] };
    }
    const changed = built.outcome === "changed" ? built.paths : changedSince(context, assembled);
    if (changed.length > 0 || built.outcome === "changed") return { changed };

    onProgress(finished("flush", built));
    const now = clock.now();
    const { name, provenance } = assembled;
    const within = request.hold ? pinForStage(context, built.listing.id, now) : () => {};
    const isNew =
      (isPublished(context, context.writing(), built.listing.id) && takeKnown(context, request, built.listing)
        ? "known"
        : await publish(context, { staging, built, pool, name, provenance, now, within })) === "published";
    onProgress(finished("publish", built));
    failpoints.hit("stage:published");
    remember(context, attempting, built);
    return resultOf(assembled, built.listing, { isNew, reused: reusedIn(built) });
  } finally {
    await pool.close();
  }
}

/** Pins a generation that is there already, in the same step as the look at its row. */
function takeKnown(context: StoreContext, request: StageFolderRequest, { id }: Listing): boolean {
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

function poolFor(context: StoreContext, { entries, ownPaths }: AssembledRuntime): EntryPool {
  const bytes = entries.reduce((sum, entry) => sum + (entry.kind === "file" ? entry.size : 0), 0);
  return createPool(context, { files: entries.length, bytes, ownPaths });
}

/** The paths of files and folders that are no longer what the walk saw. */
function changedSince({ fs }: StoreContext, { entries, folders }: AssembledRuntime): string[] {
  const isChanged = (from: string, key: string) => {
    const stats = fs.lstatSync(from, { bigint: true, throwIfNoEntry: false });
    return stats === undefined || statKey(stats) !== key;
  };
  const changed: string[] = [];
  for (const entry of entries) {
    if (entry.kind === "file" && isChanged(entry.from, entry.statKey)) changed.push(entry.path);
  }
  for (const folder of folders) if (isChanged(folder.from, folder.statKey)) changed.push(folder.from);
  return changed;
}

function remember(context: StoreContext, attempting: Attempting, built: BuiltTree): void {
  const { assembled, staging, cacheFile: name, walkedAt } = attempting;
  const isOwn = (from: string) => !from.startsWith(context.layout.root);
  function* entries() {
    for (const entry of assembled.entries) {
      if (entry.kind !== "file" || !isOwn(entry.from)) continue;
      const digest = built.files.get(entry.path)?.digest;
      if (digest !== undefined) yield { path: entry.from, statKey: entry.statKey, digest };
    }
  }
  writeStatCache(context.fs, context.layout, {
    name,
    entries: entries(),
    walkedAt,
    suffix: `tmp-${staging.hex}`,
  });
  assembled.remember?.(built.files);
}

function reusedIn({ files }: BuiltTree): StageResult["reused"] {
  const reused = [...files.values()].filter(({ fresh }) => !fresh);
  return { files: reused.length, bytes: reused.reduce((sum, { size }) => sum + size, 0) };
}

function finished(step: "flush" | "publish", { listing }: BuiltTree) {
  const { files, sizeBytes } = listing;
  return { step, filesDone: files, filesTotal: files, bytesDone: sizeBytes, bytesTotal: sizeBytes };
}

function resultOf(
  { name }: AssembledRuntime,
  { id, files, sizeBytes }: Listing,
  { isNew, reused }: { readonly isNew: boolean; readonly reused: StageResult["reused"] },
): StageResult {
  return { generation: id, name, new: isNew, files, bytes: sizeBytes, reused, durationMs: 0 };
}
