/**
 * import: the generation in an archive is published, after every entry of it was checked and its
 * id computed from what was read. Content that the store has already is shared, not kept twice.
 */
import { join } from "node:path";
import { systemCode } from "../../kernel/errors.ts";
import { buildListing, type Listing, listedPaths } from "../identity/listing.ts";
import { pinForStage } from "../profile/process-pins.ts";
import { finding, sourceRefused } from "../source/finding.ts";
import { GENERATION_FILE } from "../source/generation-file.ts";
import type { BuiltTree, FreshContent } from "../stage/built-tree.ts";
import { createPool } from "../stage/create-pool.ts";
import { publish } from "../stage/publish.ts";
import { type ContentOrigin, createContentSharer, shareContent } from "../stage/share-content.ts";
import { type StagingFolder, withStagingFolder } from "../stage/staging-folder.ts";
import type { ImportRequest, StageResult } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { type ImportedFile, readExport } from "./import-archive.ts";

export async function importArchive(context: StoreContext, request: ImportRequest): Promise<StageResult> {
  const startedAt = context.clock.now();
  const result = await withStagingFolder(context, (staging) => importInto(context, request, staging));
  return { ...result, durationMs: context.clock.now() - startedAt };
}

async function importInto(
  context: StoreContext,
  request: ImportRequest,
  staging: StagingFolder,
): Promise<StageResult> {
  const { clock, failpoints } = context;
  const built = await readTree(context, request, staging);
  failpoints.hit("import:tree-read");
  const { id, files, sizeBytes } = built.listing;
  const name = await nameOf(context, request, staging);
  const pool = createPool(context, { files, bytes: sizeBytes, ownPaths: [] });
  try {
    const now = clock.now();
    const within = request.hold ? pinForStage(context, id, now) : () => {};
    const provenance = { source: request.archive, commit: null, dirty: null };
    const outcome = await publish(context, { staging, built, pool, name, provenance, now, within });
    const isNew = outcome === "published";
    return { generation: id, name, new: isNew, files, bytes: sizeBytes, reused: built.reused, durationMs: 0 };
  } finally {
    await pool.close();
  }
}

async function readTree(
  context: StoreContext,
  request: ImportRequest,
  staging: StagingFolder,
): Promise<BuiltTree> {
  const { fs } = context;
  const { archive, expect, onProgress } = request;
  const files = new Map<string, PlacedFile>();
  let bytesDone = 0;
  const { leaves } = await readExport({
    fs,
    archive,
    into: staging.tree(),
    ...(expect === undefined ? {} : { expect }),
    onFile(file) {
      files.set(file.path, shareIfKnown(context, staging, file));
      bytesDone += file.size;
      onProgress?.({ step: "digest", filesDone: files.size, filesTotal: 0, bytesDone, bytesTotal: 0 });
    },
  });
  return builtTree(buildListing(leaves), files);
}

interface PlacedFile extends FreshContent {
  readonly inode: number;
  readonly fresh: boolean;
  readonly method: ContentOrigin;
}

function builtTree(listing: Listing, files: ReadonlyMap<string, PlacedFile>): BuiltTree {
  const methods: Partial<Record<ContentOrigin, number>> = {};
  const fresh = new Map<string, PlacedFile>();
  const reused = { files: 0, bytes: 0 };
  for (const file of files.values()) {
    methods[file.method] = (methods[file.method] ?? 0) + 1;
    if (file.fresh) {
      const content = `${file.digest} ${file.executable}`;
      if (!fresh.has(content)) fresh.set(content, file);
    } else {
      reused.files += 1;
      reused.bytes += file.size;
    }
  }
  const inodes: number[] = [];
  for (const { kind, path } of listedPaths(listing.bytes)) {
    if (kind === "file") inodes.push(files.get(path)?.inode ?? 0);
  }
  return { outcome: "built", listing, inodes, fresh: [...fresh.values()], reused, methods };
}

/** Shared beside the tree and renamed over the file, so a blob that vanishes meanwhile costs nothing. */
function shareIfKnown(context: StoreContext, staging: StagingFolder, file: ImportedFile): PlacedFile {
  const { fs, layout, importChoice = "auto" } = context;
  const { path, at, digest, size, executable } = file;
  const beside = join(staging.scratch(), "shared");
  let method: ContentOrigin = "written";
  if (size > 0) {
    try {
      method = shareContent(
        createContentSharer(fs, importChoice),
        layout.blob(digest, executable),
        beside,
        executable,
      );
      fs.renameSync(beside, at);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
  const fresh = method === "written" && size > 0;
  return { path, digest, size, executable, inode: fs.lstatSync(at).ino, fresh, method };
}

async function nameOf(
  context: StoreContext,
  { archive }: ImportRequest,
  staging: StagingFolder,
): Promise<string> {
  const path = join(staging.tree(), GENERATION_FILE);
  if (context.fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw sourceRefused(archive, [
      finding("archive-entry", GENERATION_FILE, "it is missing, so this is no generation"),
    ]);
  }
  const { parseGenerationFile } = await import("../source/generation-file-schema.ts");
  const parsed = parseGenerationFile(context.fs.readFileSync(path));
  if (parsed.kind === "valid") return parsed.file.name;
  throw sourceRefused(archive, [finding("archive-entry", GENERATION_FILE, `it ${parsed.why}`)]);
}
