/**
 * The blob digest of a file as it is now; null if its bytes cannot be had.
 *
 * Most files of a runtime are small: such a one is read whole and digested in one call, into a
 * buffer that is made once and has room for the header that a blob's digest begins with.
 */
import { hash } from "node:crypto";
import { constants } from "node:fs";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { blobHasher, type Digest } from "../identity/object-id.ts";

/** `size` is what the caller saw of the file, in bytes. */
export type DigestFile = (path: string, size: number) => Digest | null;

const PIECE_BYTES = 1024 * 1024;
/** For "blob ", the size and NUL. */
const HEADER_ROOM = 32;

export function createDigestFile(fs: FileSystem): DigestFile {
  let piece: Buffer | null = null;
  return (path, size) => {
    piece ??= Buffer.allocUnsafe(PIECE_BYTES);
    let descriptor: number;
    try {
      descriptor = fs.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      return unreadable(error);
    }
    try {
      return digestWhole(fs, descriptor, piece, size) ?? digestPieces(fs, descriptor, piece);
    } catch (error) {
      return unreadable(error);
    } finally {
      fs.closeSync(descriptor);
    }
  };
}

/** Null where the file is too large for the buffer, or is not as long as it was said to be. */
function digestWhole(fs: FileSystem, descriptor: number, piece: Buffer, size: number): Digest | null {
  // One byte more is asked for, so that a file that grew shows it.
  const wanted = size + 1;
  if (HEADER_ROOM + wanted > piece.length) return null;
  let filled = 0;
  while (filled !== size || filled === 0) {
    const read = fs.readSync(descriptor, piece, HEADER_ROOM + filled, wanted - filled, filled);
    if (read === 0) break;
    filled += read;
    if (filled > size) return null;
  }
  if (filled !== size) return null;
  const header = `blob ${size}\0`;
  const start = HEADER_ROOM - header.length;
  piece.write(header, start, "latin1");
  return hash("sha256", piece.subarray(start, HEADER_ROOM + size), "hex");
}

function digestPieces(fs: FileSystem, descriptor: number, piece: Buffer): Digest {
  const hasher = blobHasher(fs.fstatSync(descriptor).size);
  for (let at = 0; ; ) {
    const read = fs.readSync(descriptor, piece, 0, piece.length, at);
    if (read === 0) return hasher.digest();
    hasher.update(piece.subarray(0, read));
    at += read;
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
