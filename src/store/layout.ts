/**
 * Where everything in a store stands; the only place that builds paths in it.
 *
 *   <store>/blobs/ab/<digest>[x]          one file per content and exec bit
 *   <store>/generations/<id>/             a published tree
 *   <store>/generations/.staging-<hex>/   a tree in the making; the same parent as its target,
 *                                         since a read-only folder cannot move to another parent
 *   <store>/generations/.trash-<hex>/     a tree on its way out
 *   <store>/manifests/<id>                the canonical listing
 *   <store>/manifests/<id>.inodes         see check/inode-record.ts
 *   <store>/builds/<key>                  the listing of a dependency build, see source/build-record.ts
 *   <store>/stat-cache/<key>              see stage/stat-cache.ts
 *   <store>/profiles/<name>               a link for people; never read by swarm-gen
 *   <store>/index.sqlite
 */
import { join } from "node:path";
import type { Digest, GenerationId } from "./identity/object-id.ts";

export type Layout = ReturnType<typeof createLayout>;

export const STAGING_PREFIX = ".staging-";
export const TRASH_PREFIX = ".trash-";

/** `root` is the absolute real path of the store's folder. */
export function createLayout(root: string) {
  const generations = join(root, "generations");
  const manifests = join(root, "manifests");
  return {
    root,
    generations,
    manifests,
    blobs: join(root, "blobs"),
    builds: join(root, "builds"),
    statCache: join(root, "stat-cache"),
    profiles: join(root, "profiles"),
    index: join(root, "index.sqlite"),
    blobFolder: (digest: Digest) => join(root, "blobs", digest.slice(0, 2)),
    blob: (digest: Digest, executable: boolean) =>
      join(root, "blobs", digest.slice(0, 2), executable ? `${digest}x` : digest),
    generation: (id: GenerationId) => join(generations, id),
    staging: (hex: string) => join(generations, `${STAGING_PREFIX}${hex}`),
    trash: (hex: string) => join(generations, `${TRASH_PREFIX}${hex}`),
    listing: (id: GenerationId) => join(manifests, id),
    inodeRecord: (id: GenerationId) => join(manifests, `${id}.inodes`),
    build: (key: string) => join(root, "builds", key),
    statCacheOf: (key: string) => join(root, "stat-cache", key),
    profile: (name: string) => join(root, "profiles", name),
  };
}
