/**
 * Gives the new contents of a flushed tree their names among the blobs.
 *
 * Hard links are complete at once. Clones and copies are written under temporary names, flushed
 * together, and then renamed, so that no power loss leaves a blob whose bytes are not there.
 */
import { invariant } from "../../kernel/errors.ts";
import type { Digest } from "../identity/object-id.ts";
import type { StoreContext } from "../store-context.ts";
import type { BuiltTree } from "./build-tree.ts";
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
  const paths = freshPaths(built);
  const fileAt = (index: number) => {
    const path = paths[index];
    const file = path === undefined ? undefined : built.files.get(path);
    invariant(path !== undefined && file !== undefined, "the pool asks for indexes below the count");
    return { path, ...file };
  };
  const unflushed: PutBlobJob[] = [];
  const jobAt = (index: number): PutBlobJob => {
    const { path, digest, executable, size } = fileAt(index);
    const temporary = staging.temporary(layout.blob(digest, executable));
    return { from: `${staging.tree()}/${path}`, digest, executable, size, temporary };
  };
  await pool.run("putBlob", {
    count: paths.length,
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

/** One path for each content that the store did not have. */
function freshPaths({ files }: BuiltTree): readonly string[] {
  const seen = { plain: new Set<Digest>(), executable: new Set<Digest>() };
  const paths: string[] = [];
  for (const [path, { digest, executable, fresh }] of files) {
    const known = executable ? seen.executable : seen.plain;
    if (!fresh || known.has(digest)) continue;
    known.add(digest);
    paths.push(path);
  }
  return paths;
}
