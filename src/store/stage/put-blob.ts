/**
 * putBlob: gives new content of a flushed tree its name among the blobs.
 *
 *   out  "linked"     a hard link: durable content, complete at once
 *        "known"      another process was first
 *        "temporary"  a clone or copy under the job's temporary name; its bytes are not durable
 *                     yet, so the caller flushes once and then renames all of them
 */
import { dirname } from "node:path";
import { systemCode } from "../../kernel/errors.ts";
import type { Digest } from "../identity/object-id.ts";
import type { PlaceEntryDeps } from "./place-entry.ts";

export interface PutBlobJob {
  readonly from: string;
  readonly digest: Digest;
  readonly executable: boolean;
  readonly size: number;
  /** A name beside the blob that nobody else uses. */
  readonly temporary: string;
}

export type PutBlobOutcome = "linked" | "known" | "temporary";

export function createPutBlob({ fs, layout, sharer }: PlaceEntryDeps): (job: PutBlobJob) => PutBlobOutcome {
  const made = new Set<string>();
  return ({ from, digest, executable, temporary }) => {
    const blob = layout.blob(digest, executable);
    const folder = dirname(blob);
    if (!made.has(folder)) {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      made.add(folder);
    }
    // A link is complete at once, so it takes the blob's own name. A clone or copy is written in
    // pieces, and a reader must never find half of it.
    if (sharer.reflink(from, temporary, executable)) return "temporary";
    try {
      if (sharer.hardLink(from, blob)) return "linked";
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      return "known";
    }
    sharer.copy(from, temporary, executable);
    return "temporary";
  };
}
