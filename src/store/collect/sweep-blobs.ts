/** The blobs that no generation names, and how they go. */
import { join } from "node:path";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { readListing } from "../identity/listing.ts";
import type { GenerationId } from "../identity/object-id.ts";
import type { Layout } from "../layout.ts";
import { createContentSharer } from "../stage/share-content.ts";
import type { StoreContext } from "../store-context.ts";
import type { BlobName } from "./live-blobs.ts";

export interface UnreferencedBlob {
  readonly path: string;
  readonly size: number;
}

const BLOB_NAME = /^[0-9a-f]{64}x?$/;

export function unreferencedBlobs(
  fs: FileSystem,
  layout: Layout,
  live: ReadonlySet<BlobName>,
): UnreferencedBlob[] {
  const dead: UnreferencedBlob[] = [];
  for (const folder of fs.readdirSync(layout.blobs)) {
    for (const name of fs.readdirSync(join(layout.blobs, folder))) {
      if (live.has(name) || !BLOB_NAME.test(name)) continue;
      const path = join(layout.blobs, folder, name);
      const stats = fs.lstatSync(path, { throwIfNoEntry: false });
      if (stats !== undefined) dead.push({ path, size: stats.size });
    }
  }
  return dead;
}

const TOLD_EVERY = 256;

/** `tell` hears how many are gone. */
export async function removeBlobs(
  { fs, failpoints }: StoreContext,
  blobs: readonly UnreferencedBlob[],
  tell: (done: number) => Promise<void>,
): Promise<void> {
  for (const [at, { path }] of blobs.entries()) {
    if (at % TOLD_EVERY === 0) await tell(at);
    failpoints.hit("gc:before-blob");
    try {
      fs.unlinkSync(path);
    } catch (error) {
      // Another collection was first.
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
}

/** Null where another collection took the generation away meanwhile. */
function listingOrNone({ fs, layout }: StoreContext, id: GenerationId): Buffer | null {
  try {
    return fs.readFileSync(layout.listing(id));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    return null;
  }
}

/** Links the contents of a generation's tree back among the blobs, where they are missing. */
export function blobsMissingFor(context: StoreContext, id: GenerationId): void {
  const { fs, layout, importChoice = "auto" } = context;
  const sharer = createContentSharer(fs, importChoice);
  const listing = listingOrNone(context, id);
  if (listing === null) return;
  for (const entry of readListing(listing)) {
    if (entry.kind !== "file" || entry.size === 0) continue;
    const blob = layout.blob(entry.digest, entry.executable);
    if (fs.lstatSync(blob, { throwIfNoEntry: false }) !== undefined) continue;
    fs.mkdirSync(layout.blobFolder(entry.digest), { recursive: true, mode: 0o700 });
    try {
      // Only a hard link is complete at once; where there is none, the next stage writes the blob.
      sharer.hardLink(join(layout.generation(id), entry.path), blob);
    } catch (error) {
      if (systemCode(error) !== "EEXIST" && systemCode(error) !== "ENOENT") throw error;
    }
  }
}
