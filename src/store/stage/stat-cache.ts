/**
 * The stat cache: which digest a source file had when it was last read, so that an unchanged tree
 * is staged by a walk alone.
 *
 * A cache file belongs to one source folder and one set of forbidden paths. It is text: a header
 * line, `statKey SP digest SP path NUL` for each file, and the SHA-256 of those records in hex. A
 * torn or foreign file is no cache. Losing one costs time and nothing else, so it is not flushed.
 *
 * Racy clean, as Git has it: a file changed in the same tick of the file system's clock in which
 * it was read would keep its times. So a file whose times are not older than the tick before the
 * walk began is left out, and is read again next time.
 */
import { createHash } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import type { Digest } from "../identity/object-id.ts";
import type { Layout } from "../layout.ts";

export interface StatCache {
  /** The digest that the file had when it looked as `statKey` says; undefined if that is not known. */
  get(path: string, statKey: string): Digest | undefined;
}

export interface StatCacheEntry {
  readonly path: string;
  readonly statKey: string;
  readonly digest: Digest;
}

/** The name of a source's cache file. */
export function cacheName(sourceRoot: string, ownPaths: readonly string[]): string {
  return bytesToHex(sha256(utf8ToBytes([sourceRoot, ...ownPaths].join("\0")))).slice(0, 32);
}

const HEADER = "swarm-gen stat-cache 1\n";
const DIGEST_LENGTH = 64;

export function readStatCache(fs: FileSystem, layout: Layout, name: string): StatCache {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(layout.statCacheOf(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return NO_CACHE;
    throw error;
  }
  const body = bytes.subarray(HEADER.length, -DIGEST_LENGTH);
  const trailer = bytes.toString("latin1", bytes.length - DIGEST_LENGTH);
  if (bytes.toString("latin1", 0, HEADER.length) !== HEADER || trailer !== checksum(body)) return NO_CACHE;
  // Only paths become strings; keys and digests stay bytes until they are asked for.
  const records = new Map<string, number>();
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(0, at);
    const key = body.indexOf(SPACE, at);
    records.set(body.toString("utf8", key + 2 + DIGEST_LENGTH, end), at);
    at = end + 1;
  }
  return {
    get(path, statKey) {
      const at = records.get(path);
      if (at === undefined) return undefined;
      const digestAt = at + statKey.length + 1;
      if (body.toString("latin1", at, digestAt) !== `${statKey} `) return undefined;
      return body.toString("latin1", digestAt, digestAt + DIGEST_LENGTH);
    },
  };
}

const NO_CACHE: StatCache = { get: () => undefined };
const SPACE = 0x20;

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

const PIECE_BYTES = 256 * 1024;

/** The records as bytes, in pieces that are overwritten: each is to be used before the next is asked for. */
function* recordPieces({ entries, walkedAt }: WriteStatCache): Generator<Buffer> {
  let piece = Buffer.allocUnsafe(PIECE_BYTES);
  let filled = 0;
  for (const { path, statKey, digest } of entries) {
    if (isRacy(statKey, walkedAt)) continue;
    const record = `${statKey} ${digest} ${path}\0`;
    if (filled + record.length * 3 > piece.length) {
      yield piece.subarray(0, filled);
      if (record.length * 3 > piece.length) piece = Buffer.allocUnsafe(record.length * 3);
      filled = 0;
    }
    filled += piece.write(record, filled, "utf8");
  }
  yield piece.subarray(0, filled);
}

// ext4 and its kin take times from a clock that ticks every 1 to 10 ms; a file system that keeps
// whole milliseconds or seconds may keep as little as every second one (FAT, HFS+).
const FINE_TICK_MS = 20;
const COARSE_TICK_MS = 2_000;

function isRacy(statKey: string, walkedAt: number): boolean {
  const [, , , modifiedNs = "", changedNs = ""] = statKey.split(":");
  const latestMs = Math.max(Number(modifiedNs.slice(0, -6)), Number(changedNs.slice(0, -6)));
  const isCoarse = modifiedNs.endsWith("000000") && changedNs.endsWith("000000");
  return latestMs >= walkedAt - (isCoarse ? COARSE_TICK_MS : FINE_TICK_MS);
}

// Guards against torn files, not against anybody: the folder is private.
function checksum(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}
