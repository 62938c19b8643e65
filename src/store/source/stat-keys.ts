/** Stat keys (`stat-key.ts`) as a column: what a walk saw of each row, to compare a later look with. */
import type { BigIntStats } from "node:fs";

export const STAT_KEY_WORDS = 6;
export const STAT_KEY_BYTES = 8 * STAT_KEY_WORDS;

/** Device, inode, size, mtime, ctime and mode of each row; times are in nanoseconds, modulo 2^64. */
export type StatKeys = BigUint64Array;

export function setStatKey(keys: StatKeys, row: number, stats: BigIntStats): void {
  const at = row * STAT_KEY_WORDS;
  keys[at] = stats.dev;
  keys[at + 1] = stats.ino;
  keys[at + 2] = stats.size;
  keys[at + 3] = stats.mtimeNs;
  keys[at + 4] = stats.ctimeNs;
  keys[at + 5] = stats.mode;
}

export function hasStatKey(keys: StatKeys, row: number, stats: BigIntStats): boolean {
  setStatKey(LOOKED, 0, stats);
  const at = row * STAT_KEY_WORDS;
  for (let word = 0; word < STAT_KEY_WORDS; word += 1) if (keys[at + word] !== LOOKED[word]) return false;
  return true;
}

const LOOKED: StatKeys = new BigUint64Array(STAT_KEY_WORDS);

/** The same as `statKey` gives. */
export function statKeyAt(keys: StatKeys, row: number): string {
  const at = row * STAT_KEY_WORDS;
  const [dev, ino, size, mtimeNs, ctimeNs, mode] = keys.subarray(at, at + STAT_KEY_WORDS);
  return [dev, ino, size, BigInt.asIntN(64, mtimeNs!), BigInt.asIntN(64, ctimeNs!), mode].join(":");
}

/** When a file changed last, content or properties, in milliseconds since the epoch. */
export function latestChangeMs(keys: StatKeys, row: number): number {
  return Math.max(...timesNs(keys, row).map((ns) => Number(ns))) / NS_PER_MS;
}

/** Whether its times have no part below a millisecond. */
export function hasCoarseTimes(keys: StatKeys, row: number): boolean {
  return timesNs(keys, row).every((ns) => ns % BigInt(NS_PER_MS) === 0n);
}

const NS_PER_MS = 1_000_000;

function timesNs(keys: StatKeys, row: number): [bigint, bigint] {
  const at = row * STAT_KEY_WORDS;
  return [BigInt.asIntN(64, keys[at + 3]!), BigInt.asIntN(64, keys[at + 4]!)];
}
