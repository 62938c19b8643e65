/**
 * Gives a finished tree what a published one has: read-only folders, fixed times. Deepest first,
 * since changing a folder's entries needs it writable and changes its time.
 */
import { join } from "node:path";
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { type Listing, listedPaths } from "../identity/listing.ts";

export function sealTree(fs: FileSystem, tree: string, listing: Listing): void {
  const folders = [tree];
  for (const { kind, path } of listedPaths(listing.bytes)) {
    if (kind === "folder") folders.push(join(tree, path));
  }
  for (const folder of folders.reverse()) {
    fs.chmodSync(folder, 0o555);
    fs.utimesSync(folder, FIXED_MTIME_S, FIXED_MTIME_S);
  }
}
