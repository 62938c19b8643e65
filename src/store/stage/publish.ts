/**
 * publish: a finished tree in a staging folder becomes a generation, wholly or not at all
 * (STORE-2). The order is the promise:
 *
 *   1  listing and inode record are written under temporary names, the tree is sealed
 *   2  one flush: from here on no power loss takes a byte of it
 *   3  new contents get their names among the blobs
 *   4  one immediate transaction: listing and tree are renamed into place, their folders are
 *      flushed, the row is written
 *
 * The renames stand inside the transaction, so that the index's write lock orders them against
 * every collection and every other publication of the same id. A crash between rename and commit
 * leaves a tree without a row; the next stage or collection adopts it.
 *
 *   out  "published"  this call made it
 *        "known"      it is there already; the staging tree is not needed
 */

import { encodeInodeRecord } from "../check/inode-record.ts";
import type { FileSystem } from "../file-system.ts";
import { flushFolder } from "../flush-folder.ts";
import { listedPaths } from "../identity/listing.ts";
import { recordAudit } from "../index/audit.ts";
import { deleteCollecting, insertGeneration, readGeneration } from "../index/generations.ts";
import type { Index } from "../index/open-index.ts";
import { pathExists } from "../path-exists.ts";
import type { AssembledRuntime } from "../source/assembled-runtime.ts";
import type { StoreContext } from "../store-context.ts";
import { writeNewFile } from "../write-new-file.ts";
import type { BuiltTree } from "./built-tree.ts";
import type { EntryPool } from "./entry-pool.ts";
import { putFreshBlobs } from "./put-fresh-blobs.ts";
import { sealTree } from "./seal-tree.ts";
import type { StagingFolder } from "./staging-folder.ts";

export interface PublishRequest {
  readonly staging: StagingFolder;
  readonly built: BuiltTree;
  readonly pool: EntryPool;
  readonly name: string;
  readonly provenance: AssembledRuntime["provenance"];
  readonly now: number;
  /** Runs inside the transaction, whether published or known: where a pin is taken. */
  readonly within: (db: Index) => void;
}

export async function publish(
  context: StoreContext,
  request: PublishRequest,
): Promise<"published" | "known"> {
  const { fs, layout, failpoints } = context;
  const { staging, built } = request;
  const { id } = built.listing;
  const listing = staging.temporary(layout.listing(id));
  const inodes = staging.temporary(layout.inodeRecord(id));
  try {
    writeNewFile(fs, listing, built.listing.bytes);
    writeNewFile(fs, inodes, inodeRecordOf(fs, staging, built));
    failpoints.hit("stage:listing-written");
    sealTree(fs, staging.tree(), built.listing);
    failpoints.hit("stage:tree-sealed");
    // Never the whole store: where a flush opens each file, opening and closing the index would
    // drop the locks that SQLite holds on it.
    fs.flush(staging.tree());
    for (const path of [listing, inodes]) flushFolder(fs, path);
    failpoints.hit("stage:flushed");
    await putFreshBlobs(context, request);
    failpoints.hit("stage:blobs-linked");
    const db = context.writing();
    return db.transaction(() => move(context, request, { db, listing, inodes })).immediate();
  } finally {
    discard(fs, listing);
    discard(fs, inodes);
  }
}

/**
 * Whether the generation stands in the store, row and tree. A row whose tree is gone is not: a
 * stage of the same content then puts the tree back.
 */
export function isPublished(context: StoreContext, db: Index, id: string): boolean {
  return readGeneration(db, id)?.state === "present" && pathExists(context.fs, context.layout.generation(id));
}

interface Moving {
  readonly db: Index;
  readonly listing: string;
  readonly inodes: string;
}

function move(
  context: StoreContext,
  request: PublishRequest,
  { db, listing, inodes }: Moving,
): "published" | "known" {
  const { fs, layout, ids, failpoints } = context;
  const { id, files, sizeBytes } = request.built.listing;
  const tree = layout.generation(id);
  if (isPublished(context, db, id)) {
    request.within(db);
    return "known";
  }
  // Left by a collection that has not come to its end: finish it here, under the same lock.
  deleteCollecting(db, id);
  // Without a row nothing can refer to it, and the tree in hand is complete: make room. Trash is
  // not deleted while something runs from it (collect/sweep-leftovers.ts).
  if (pathExists(fs, tree)) fs.renameSync(tree, layout.trash(ids.hex(8)));
  failpoints.hit("publish:before-rename");
  fs.renameSync(listing, layout.listing(id));
  fs.renameSync(inodes, layout.inodeRecord(id));
  failpoints.hit("publish:listing-renamed");
  fs.renameSync(request.staging.tree(), tree);
  failpoints.hit("publish:tree-renamed");
  flushFolder(fs, layout.manifests);
  flushFolder(fs, layout.generations);
  // The names of these two: they may be as new as what stands in them.
  flushFolder(fs, layout.root);
  if (readGeneration(db, id) === null) {
    const { source, commit, dirty } = request.provenance;
    const row = {
      id,
      name: request.name,
      files,
      sizeBytes,
      stagedAt: request.now,
      source,
      sourceCommit: commit,
    };
    const importMethods = JSON.stringify(request.built.methods);
    insertGeneration(db, { ...row, sourceDirty: dirty === null ? null : Number(dirty), importMethods });
  }
  recordAudit(db, { at: request.now, action: "staged", generation: id, detail: { name: request.name } });
  request.within(db);
  failpoints.hit("publish:before-commit");
  return "published";
}

function inodeRecordOf(
  fs: FileSystem,
  staging: StagingFolder,
  { listing, inodes: ofFiles }: BuiltTree,
): Buffer {
  const tree = staging.tree();
  const folder = fs.lstatSync(tree);
  const inodes: number[] = [];
  let files = 0;
  for (const { kind, path } of listedPaths(listing.bytes)) {
    if (kind === "link") inodes.push(fs.lstatSync(`${tree}/${path}`).ino);
    if (kind !== "file") continue;
    inodes.push(ofFiles[files] ?? 0);
    files += 1;
  }
  return encodeInodeRecord({ device: folder.dev, folder: folder.ino, files: inodes });
}

function discard(fs: FileSystem, path: string): void {
  if (pathExists(fs, path)) fs.unlinkSync(path);
}
