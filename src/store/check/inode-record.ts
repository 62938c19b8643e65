/**
 * The inode record (`manifests/<id>.inodes`): which inode each file of a published tree has, so
 * that quick verification notices a file that was replaced by another of the same size and time.
 *
 * Unsigned 64-bit little-endian numbers: the device and inode of the tree's folder, then the
 * inode of every file and link in the listing's order. The first two say whether the tree still
 * is the one that was published: a store that was copied elsewhere has other inodes throughout,
 * and then the record says nothing.
 */

import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";

export interface InodeRecord {
  readonly device: number;
  readonly folder: number;
  /** In the listing's order. */
  readonly files: readonly number[];
}

export function encodeInodeRecord({ device, folder, files }: InodeRecord): Buffer {
  const bytes = Buffer.allocUnsafe(8 * (files.length + 2));
  for (const [index, inode] of [device, folder, ...files].entries())
    bytes.writeBigUInt64LE(BigInt(inode), index * 8);
  return bytes;
}

/** Null where there is no record, or a torn one: quick verification then goes without. */
export function readInodeRecord(fs: FileSystem, path: string): InodeRecord | null {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
  if (bytes.length < 16 || bytes.length % 8 !== 0) return null;
  // As two halves: a BigInt for each would cost more than all the rest of a quick verification's reading.
  const numberAt = (at: number) => bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
  const files = Array.from({ length: bytes.length / 8 - 2 }, (_, index) => numberAt(16 + index * 8));
  return { device: numberAt(0), folder: numberAt(8), files };
}
