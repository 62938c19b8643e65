/**
 * checkEntry: compares one file's bytes with the digest that its listing gives.
 *
 *   out  "same"        they agree
 *        a digest      what the bytes have instead
 *        null          it could not be read
 */
import { constants } from "node:fs";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { blobHasher, type Digest } from "../identity/object-id.ts";

export interface CheckEntryJob {
  readonly path: string;
  readonly digest: Digest;
  readonly size: number;
}

const PIECE_BYTES = 1024 * 1024;

export function checkEntry(fs: FileSystem): (job: CheckEntryJob) => "same" | Digest | null {
  let piece: Buffer | null = null;
  return ({ path, digest }) => {
    piece ??= Buffer.allocUnsafe(PIECE_BYTES);
    const found = digestFile(fs, path, piece);
    return found === digest ? "same" : found;
  };
}

/** The blob digest of a file as it is now; null if it cannot be read. */
function digestFile(fs: FileSystem, path: string, piece: Buffer): Digest | null {
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return unreadable(error);
  }
  try {
    const hasher = blobHasher(fs.fstatSync(descriptor).size);
    for (;;) {
      const read = fs.readSync(descriptor, piece, 0, piece.length, null);
      if (read === 0) return hasher.digest();
      hasher.update(piece.subarray(0, read));
    }
  } catch (error) {
    return unreadable(error);
  } finally {
    fs.closeSync(descriptor);
  }
}

const OWN_LIMITS = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** The process's own limits say nothing of the file that was to be read. */
export function isOwnLimit(error: unknown): boolean {
  return OWN_LIMITS.has(systemCode(error) ?? "");
}

/** A disk that cannot give the bytes is damage of this path, not the end of the verification. */
function unreadable(error: unknown): null {
  if (isOwnLimit(error)) throw error;
  return null;
}
