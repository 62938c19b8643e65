/**
 * The blobs that live: the union of the contents in the listings of all generations that live. A
 * link count is never evidence, since a clone or a copy leaves it at 1.
 *
 * Generations of one runtime are nearly equal, so a folder whose digest was seen in one listing is
 * passed over in the next; the walk of a hundred costs little more than that of one.
 */
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { digestIn, type ListingRecord, recordsOf } from "../identity/listing-record.ts";
import type { Digest, GenerationId } from "../identity/object-id.ts";
import type { Layout } from "../layout.ts";
import { readFully } from "../stage/place-entry.ts";

/** Names of files below `blobs/`: a digest, with an `x` where it is executable. */
export type BlobName = string;

/** `generation_damaged` where a listing cannot be read: what it names is then not known to be dead. */
export function liveBlobs(
  fs: FileSystem,
  layout: Layout,
  generations: Iterable<GenerationId>,
  isGone: (id: GenerationId) => boolean,
): Set<BlobName> {
  const live = new Set<BlobName>();
  const seen = new Set<Digest>();
  let reused = Buffer.alloc(0);
  const read = (path: string): Buffer => {
    const descriptor = fs.openSync(path, "r");
    try {
      const { size } = fs.fstatSync(descriptor);
      if (reused.length < size) reused = Buffer.allocUnsafe(size * 2);
      return reused.subarray(0, readFully(fs, descriptor, reused, size));
    } finally {
      fs.closeSync(descriptor);
    }
  };
  for (const id of generations) {
    try {
      for (const name of blobsIn(read(layout.listing(id)), seen)) live.add(name);
    } catch (error) {
      // Another collection took it away after the rows were read.
      if (systemCode(error) === "ENOENT" && isGone(id)) continue;
      throw asDamage(error, id);
    }
  }
  return live;
}

function asDamage(error: unknown, id: GenerationId): unknown {
  if (!(error instanceof CodedError) && systemCode(error) !== "ENOENT") return error;
  return new CodedError("generation_damaged", `The listing of generation ${id} is damaged or missing.`, {
    hint: `Run swarm-gen repair ${id}, then collect again; until then no blob is removed.`,
    cause: error,
    fields: { generation: id },
  });
}

/** The blobs of one listing; folders in `seen` are passed over, and those met are added to it. */
export function* blobsIn(listing: Buffer, seen: Set<Digest>): Generator<BlobName> {
  const isNew = (folder: ListingRecord) => {
    const digest = digestIn(listing, folder);
    if (seen.has(digest)) return false;
    seen.add(digest);
    return true;
  };
  for (const record of recordsOf(listing, isNew)) {
    // Empty files are not shared, so they have no blob.
    if (record.kind !== "file" || record.number === 0) continue;
    yield record.executable ? `${digestIn(listing, record)}x` : digestIn(listing, record);
  }
}
