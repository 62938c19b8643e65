/**
 * The blobs that live: the union of the contents in the listings of all generations that live. A
 * link count is never evidence, since a clone or a copy leaves it at 1.
 *
 * Generations of one runtime are nearly equal, so a folder whose digest was seen in one listing is
 * passed over in the next; the walk of a hundred costs little more than that of one.
 */
import type { FileSystem } from "../file-system.ts";
import { scanListing } from "../identity/listing.ts";
import type { Digest, GenerationId } from "../identity/object-id.ts";
import type { Layout } from "../layout.ts";

/** Names of files below `blobs/`: a digest, with an `x` where it is executable. */
export type BlobName = string;

export function liveBlobs(
  fs: FileSystem,
  layout: Layout,
  generations: Iterable<GenerationId>,
): Set<BlobName> {
  const live = new Set<BlobName>();
  const seen = new Set<Digest>();
  let reused = Buffer.alloc(0);
  for (const id of generations) {
    const descriptor = fs.openSync(layout.listing(id), "r");
    try {
      const { size } = fs.fstatSync(descriptor);
      if (reused.length < size) reused = Buffer.allocUnsafe(size * 2);
      let read = 0;
      while (read < size) {
        const got = fs.readSync(descriptor, reused, read, size - read, null);
        if (got === 0) break;
        read += got;
      }
      for (const name of blobsIn(reused.subarray(0, read), seen)) live.add(name);
    } finally {
      fs.closeSync(descriptor);
    }
  }
  return live;
}

/** The blobs of one listing; folders in `seen` are passed over, and those met are added to it. */
export function* blobsIn(listing: Buffer, seen: Set<Digest>): Generator<BlobName> {
  const isNew = ({ digest }: { readonly digest: Digest }) => {
    if (seen.has(digest)) return false;
    seen.add(digest);
    return true;
  };
  for (const entry of scanListing(listing, isNew)) {
    // Empty files are not shared, so they have no blob.
    if (entry.kind === "file" && entry.size > 0) yield entry.executable ? `${entry.digest}x` : entry.digest;
  }
}
