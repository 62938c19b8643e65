/** Removes the records of builds whose contents are gone, and those that are no records. */
import { join } from "node:path";
import type { FileSystem } from "../file-system.ts";
import type { Layout } from "../layout.ts";
import { removeTree } from "../stage/remove-tree.ts";
import type { StoreContext } from "../store-context.ts";
import { blobsIn } from "./live-blobs.ts";

export function pruneBuildRecords({ fs, layout }: StoreContext): number {
  let removed = 0;
  for (const name of fs.readdirSync(layout.builds)) {
    const path = join(layout.builds, name);
    if (isComplete(fs, layout, path)) continue;
    removeTree(fs, path);
    removed += 1;
  }
  return removed;
}

function isComplete(fs: FileSystem, layout: Layout, path: string): boolean {
  // A build at work holds a lock beside its record: a folder, which is not ours to remove.
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return true;
  const name = path.slice(path.lastIndexOf("/") + 1);
  // What was learned of an interpreter names no blobs.
  if (/^interpreter-[0-9a-f]+$/.test(name)) return true;
  if (!/^[0-9a-f]+$/.test(name)) return false;
  try {
    for (const blob of blobsIn(fs.readFileSync(path), new Set())) {
      const file = join(layout.blobs, blob.slice(0, 2), blob);
      if (fs.lstatSync(file, { throwIfNoEntry: false }) === undefined) return false;
    }
    return true;
  } catch {
    // Malformed, or removed by another collection meanwhile; either way it saves no build.
    return false;
  }
}
