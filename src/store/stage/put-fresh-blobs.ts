/**
 * Gives the new contents of a flushed tree their names among the blobs.
 *
 * Hard links are complete at once. Clones and copies are written under temporary names, flushed
 * together, and then renamed, so that no power loss leaves a blob whose bytes are not there.
 */
import { invariant } from "../../kernel/errors.ts";
import type { StoreContext } from "../store-context.ts";
import type { BuiltTree } from "./built-tree.ts";
import type { EntryPool } from "./entry-pool.ts";
import type { PutBlobJob } from "./put-blob.ts";
import type { StagingFolder } from "./staging-folder.ts";

export interface PutFreshBlobs {
  readonly staging: StagingFolder;
  readonly built: BuiltTree;
  readonly pool: EntryPool;
}

export async function putFreshBlobs(
  { fs, layout, failpoints }: StoreContext,
  { staging, built, pool }: PutFreshBlobs,
): Promise<void> {
  const { fresh } = built;
  const fileAt = (index: number) => {
    const file = fresh.at(index);
    invariant(file !== undefined, "the pool asks for indexes below the count");
    return file;
  };
  const unflushed: PutBlobJob[] = [];
  const jobAt = (index: number): PutBlobJob => {
    const { path, digest, executable, size } = fileAt(index);
    const temporary = staging.temporary(layout.blob(digest, executable));
    return { from: `${staging.tree()}/${path}`, digest, executable, size, temporary };
  };
  await pool.run("putBlob", {
    count: fresh.length,
    sizeOf: (index) => fileAt(index).size,
    jobAt,
    take(index, outcome) {
      if (outcome === "temporary") unflushed.push(jobAt(index));
    },
  });
  if (unflushed.length === 0) return;
  fs.flush(layout.blobs);
  for (const { temporary, digest, executable } of unflushed) {
    fs.renameSync(temporary, layout.blob(digest, executable));
    failpoints.hit("stage:blob-renamed");
  }
}
