/** An archive that is in memory already, as the one file of a file system: what was checked is what is read. */
import type { ReadArchiveRequest } from "./read-archive.ts";

export function fileInMemory(bytes: Buffer): ReadArchiveRequest["fs"] {
  const stats = { isFile: () => true, dev: 0n, ino: 0n, size: BigInt(bytes.length), mode: 0n };
  const calls = {
    openSync: () => 0,
    closeSync: () => {},
    fstatSync: () => ({ ...stats, mtimeNs: 0n, ctimeNs: 0n }),
    readSync: (_descriptor: number, into: Buffer, at: number, length: number, position: number) =>
      bytes.copy(into, at, position, position + length),
  };
  // Only these forms of the calls are used to read an archive.
  return calls as unknown as ReadArchiveRequest["fs"];
}
