/**
 * The stat cache: which digest a source file had when it was last read, so that an unchanged tree
 * is staged by a walk alone.
 *
 * A cache file belongs to one source folder and one set of forbidden paths. It is text: a header
 * with a checksum of the rest, then `statKey SP digest SP path NUL` for each file. A torn or
 * foreign file is no cache. Losing one costs time and nothing else, so it is not flushed.
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

/** Digests by `cacheKey(path, statKey)`. */
export type StatCache = ReadonlyMap<string, Digest>;

export interface StatCacheEntry {
  readonly path: string;
  readonly statKey: string;
  readonly digest: Digest;
}

export function cacheKey(path: string, statKey: string): string {
  return `${statKey} ${path}`;
}

/** The name of a source's cache file. */
export function cacheName(sourceRoot: string, ownPaths: readonly string[]): string {
  return bytesToHex(sha256(utf8ToBytes([sourceRoot, ...ownPaths].join("\0")))).slice(0, 32);
}

const HEADER = "swarm-gen stat-cache 1 ";
const DIGEST_LENGTH = 64;

export function readStatCache(fs: FileSystem, layout: Layout, name: string): StatCache {
  let text: string;
  try {
    text = fs.readFileSync(layout.statCacheOf(name), "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return new Map();
    throw error;
  }
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  if (text.slice(0, end) !== HEADER + checksum(body)) return new Map();
  const cache = new Map<string, Digest>();
  for (const record of body.split("\0")) {
    const cut = record.indexOf(" ");
    if (cut < 0) continue;
    const digest = record.slice(cut + 1, cut + 1 + DIGEST_LENGTH);
    cache.set(cacheKey(record.slice(cut + 2 + DIGEST_LENGTH), record.slice(0, cut)), digest);
  }
  return cache;
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
  const records: string[] = [];
  for (const { path, statKey, digest } of request.entries) {
    if (!isRacy(statKey, request.walkedAt)) records.push(`${statKey} ${digest} ${path}\0`);
  }
  const body = records.join("");
  const target = layout.statCacheOf(request.name);
  const temporary = `${target}.${request.suffix}`;
  const descriptor = fs.openSync(temporary, "wx", 0o600);
  try {
    const bytes = Buffer.from(`${HEADER}${checksum(body)}\n${body}`, "utf8");
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(descriptor, bytes, at, bytes.length - at, null);
  } catch (error) {
    fs.unlinkSync(temporary);
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
  fs.renameSync(temporary, target);
}

// ext4 and its kin take times from a clock that ticks every 1 to 10 ms; a file system that keeps
// whole milliseconds or seconds may keep as little as every second one (FAT, HFS+).
const FINE_TICK_MS = 20;
const COARSE_TICK_MS = 2_000;

function isRacy(statKey: string, walkedAt: number): boolean {
  const [, , , modified, changed] = statKey.split(":").map(BigInt) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const latest = Math.max(Number(modified / 1_000_000n), Number(changed / 1_000_000n));
  const coarse = modified % 1_000_000n === 0n && changed % 1_000_000n === 0n;
  return latest >= walkedAt - (coarse ? COARSE_TICK_MS : FINE_TICK_MS);
}

// Guards against torn files, not against anybody: the folder is private.
function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
