/**
 * A generation's files, as its proven listing has them. Apart from `show`, because proving a
 * listing loads what digests, and a question to the index does without.
 */
import { verifiedEntries } from "./identity/listing.ts";
import type { GenerationId } from "./identity/object-id.ts";
import { readOrDamaged, requireGeneration } from "./show.ts";
import type { TreeFile } from "./store.ts";
import type { StoreContext } from "./store-context.ts";

export function listFiles(context: StoreContext, id: GenerationId): readonly TreeFile[] {
  requireGeneration(context.reading(), id);
  return readEntries(context, id).flatMap((entry): TreeFile[] => {
    const { kind, path, digest } = entry;
    if (kind === "folder") return [];
    const mode = kind === "link" ? "120000" : entry.executable ? "100755" : "100644";
    return [{ path, kind, mode, digest, size: entry.size }];
  });
}

/** The entries of a generation's listing, proven. `generation_damaged` where it is missing or malformed. */
export function readEntries({ fs, layout }: StoreContext, id: GenerationId) {
  return verifiedEntries(
    readOrDamaged(id, () => fs.readFileSync(layout.listing(id))),
    id,
  );
}
