/**
 * The stat cache: which digest a source file had when it was last read, so that an unchanged tree
 * is staged by a walk alone.
 *
 * A cache file belongs to one source folder and one set of forbidden paths: a header line, a
 * record for each file, and the SHA-256 of the records in hex. A record is, in this machine's byte
 * order, a hash of the file's absolute path (4 bytes), its stat key (six 64-bit numbers) and its
 * digest (32 bytes). The hash is for file systems that make inode numbers up as they go: on any
 * other, a file with the stat key is the file. A torn or foreign file is no cache. Losing one
 * costs time and nothing else, so it is not flushed.
 *
 * Racy clean, as Git has it: a file changed in the same tick of the file system's clock in which
 * it was read would keep its times. So a file whose times are not older than the tick before the
 * walk began is left out, and is read again next time.
 */
import { createHash } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { systemCode } from "../../kernel/errors.ts";
import { createBytesIndex } from "../columns.ts";
import type { FileSystem } from "../file-system.ts";
import { DIGEST_BYTES } from "../identity/tree-table.ts";
import type { Layout } from "../layout.ts";
import { hasCoarseTimes, latestChangeMs, STAT_KEY_BYTES, type StatKeys } from "../source/stat-keys.ts";

export interface StatCache {
  /** Files that are known. */
  readonly size: number;
  /** The digest, 32 bytes, that the file had when it looked as row `row` of `keys` says; null if that is not known. */
  get(path: string, keys: StatKeys, row: number): Buffer | null;
}

/** The name of a source's cache file. */
export function cacheName(sourceRoot: string, ownPaths: readonly string[]): string {
  return bytesToHex(sha256(utf8ToBytes([sourceRoot, ...ownPaths].join("\0")))).slice(0, 32);
}

const HEADER = "swarm-gen stat-cache 2\n";
const TRAILER_BYTES = 64;
const HASH_BYTES = 4;
const KEY_BYTES = HASH_BYTES + STAT_KEY_BYTES;
const RECORD_BYTES = KEY_BYTES + DIGEST_BYTES;

export function readStatCache(fs: FileSystem, layout: Layout, name: string): StatCache {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(layout.statCacheOf(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return NO_CACHE;
    throw error;
  }
  const records = bytes.subarray(HEADER.length, -TRAILER_BYTES);
  const trailer = bytes.toString("latin1", bytes.length - TRAILER_BYTES);
  const size = records.length / RECORD_BYTES;
  if (bytes.toString("latin1", 0, HEADER.length) !== HEADER || !Number.isInteger(size)) return NO_CACHE;
  // Guards against torn files, not against anybody: the folder is private.
  if (trailer !== createHash("sha256").update(records).digest("hex")) return NO_CACHE;
  const index = createBytesIndex({ column: records, stride: RECORD_BYTES, width: KEY_BYTES, rows: size });
  for (let row = 0; row < size; row += 1) index.add(row);
  const looked = Buffer.alloc(KEY_BYTES);
  return {
    size,
    get(path, keys, row) {
      writeKey(looked, 0, { path, keys, row });
      const found = index.find(looked) * RECORD_BYTES;
      return found < 0 ? null : records.subarray(found + KEY_BYTES, found + RECORD_BYTES);
    },
  };
}

const NO_CACHE: StatCache = { size: 0, get: () => null };

export interface StatCacheEntry {
  readonly path: string;
  /** Where its stat key and its digest stand. */
  readonly keys: StatKeys;
  readonly digests: Buffer;
  readonly row: number;
}

export interface WriteStatCache {
  readonly name: string;
  readonly entries: Iterable<StatCacheEntry>;
  /** When the walk began, in milliseconds since the epoch. */
  readonly walkedAt: number;
  /** A random part for the temporary name. */
  readonly suffix: string;
}

export function writeStatCache(fs: FileSystem, layout: Layout, request: WriteStatCache): void {
  const target = layout.statCacheOf(request.name);
  const temporary = `${target}.${request.suffix}`;
  const descriptor = fs.openSync(temporary, "wx", 0o600);
  const write = (piece: Uint8Array) => {
    for (let at = 0; at < piece.length; ) at += fs.writeSync(descriptor, piece, at, piece.length - at, null);
  };
  try {
    const hash = createHash("sha256");
    write(Buffer.from(HEADER, "latin1"));
    for (const piece of recordPieces(request)) {
      hash.update(piece);
      write(piece);
    }
    write(Buffer.from(hash.digest("hex"), "latin1"));
  } catch (error) {
    fs.unlinkSync(temporary);
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
  fs.renameSync(temporary, target);
}

/** Says that a cache is in use, so that no collection takes it for a forgotten one. */
export function renewStatCache(fs: FileSystem, layout: Layout, name: string, now: number): void {
  fs.utimesSync(layout.statCacheOf(name), now / 1000, now / 1000);
}

const PIECE_RECORDS = 2048;

/** The records as bytes, in pieces that are overwritten: each is to be used before the next is asked for. */
function* recordPieces({ entries, walkedAt }: WriteStatCache): Generator<Buffer> {
  const piece = Buffer.alloc(PIECE_RECORDS * RECORD_BYTES);
  let filled = 0;
  for (const entry of entries) {
    const { keys, row, digests } = entry;
    if (isRacy(keys, row, walkedAt)) continue;
    writeKey(piece, filled, entry);
    digests.copy(piece, filled + KEY_BYTES, row * DIGEST_BYTES, (row + 1) * DIGEST_BYTES);
    filled += RECORD_BYTES;
    if (filled < piece.length) continue;
    yield piece;
    filled = 0;
  }
  yield piece.subarray(0, filled);
}

function writeKey(into: Buffer, at: number, { path, keys, row }: Omit<StatCacheEntry, "digests">): void {
  into.writeUInt32LE(pathHash(path), at);
  into.set(new Uint8Array(keys.buffer, row * STAT_KEY_BYTES, STAT_KEY_BYTES), at + HASH_BYTES);
}

/** FNV-1a, of 32 bits. */
function pathHash(path: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at += 1) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

// ext4 and its kin take times from a clock that ticks every 1 to 10 ms; a file system that keeps
// whole milliseconds or seconds may keep as little as every second one (FAT, HFS+).
const FINE_TICK_MS = 20;
const COARSE_TICK_MS = 2_000;

function isRacy(keys: StatKeys, row: number, walkedAt: number): boolean {
  return latestChangeMs(keys, row) >= walkedAt - (hasCoarseTimes(keys, row) ? COARSE_TICK_MS : FINE_TICK_MS);
}
