/** The stat cache on a disk of its own: what it finds again, and what it must not take for known. */
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLayout, type Layout } from "../../src/store/layout.ts";
import { createNodeFileSystem } from "../../src/store/node-file-system.ts";
import { STAT_KEY_WORDS, setStatKey } from "../../src/store/source/stat-keys.ts";
import { readStatCache, writeStatCache } from "../../src/store/stage/stat-cache.ts";

const fs = createNodeFileSystem();
const LONG_AFTER_MS = Date.now() + 1_000_000;
let folder: string;
let layout: Layout;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "swarm-gen-stat-cache-"));
  layout = createLayout(folder);
  mkdirSync(layout.statCache);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** More than a piece of the writing, all of one look but for their sizes. */
const COUNT = 5_000;
const digests = Buffer.alloc(32 * COUNT);
for (let row = 0; row < COUNT; row += 1) digests.writeUInt32BE(row + 1, row * 32);

function keysLike(path: string): BigUint64Array {
  const keys = new BigUint64Array(COUNT * STAT_KEY_WORDS);
  const stats = lstatSync(path, { bigint: true });
  for (let row = 0; row < COUNT; row += 1) setStatKey(keys, row, Object.assign(stats, { size: BigInt(row) }));
  return keys;
}

function write(keys: BigUint64Array, walkedAt = LONG_AFTER_MS): void {
  const entries = Array.from({ length: COUNT }, (_, row) => ({ path: `/s/${row}`, keys, digests, row }));
  writeStatCache(fs, layout, { name: "cache", entries, walkedAt, suffix: "new" });
}

const read = () => readStatCache(fs, layout, "cache");

describe("the stat cache", () => {
  test("finds every file by its path and key, and none by another path or key", () => {
    const keys = keysLike(folder);
    write(keys);
    const cache = read();
    expect(cache.size).toBe(COUNT);
    for (let row = 0; row < COUNT; row += 1) {
      expect(cache.get(`/s/${row}`, keys, row)?.readUInt32BE(0)).toBe(row + 1);
      expect(cache.get(`/s/${row + 1}`, keys, row)).toBeNull();
    }
    keys[STAT_KEY_WORDS * 3 + 4]! += 1n;
    expect(cache.get("/s/3", keys, 3)).toBeNull();
  });

  test("leaves out what changed when the walk began, and two seconds before it where times are coarse", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const { ctimeMs } = lstatSync(file);
    write(keysLike(file), ctimeMs + 10);
    expect(read().size).toBe(0);
    write(keysLike(file), ctimeMs + 100);
    expect(read().size).toBe(COUNT);
    // Modified in the future by its times.
    utimesSync(file, LONG_AFTER_MS / 1000, LONG_AFTER_MS / 1000);
    write(keysLike(file));
    expect(read().size).toBe(0);
    const coarse = keysLike(file);
    for (let row = 0; row < COUNT; row += 1) coarse.fill(7_000_000_000n, row * 6 + 3, row * 6 + 5);
    write(coarse, 8_999);
    expect(read().size).toBe(0);
    write(coarse, 9_001);
    expect(read().size).toBe(COUNT);
  });

  test("that is torn, foreign, empty or missing knows nothing", () => {
    expect(read().size).toBe(0);
    write(keysLike(folder));
    const path = layout.statCacheOf("cache");
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped[1000]! ^= 1;
    const older = Buffer.concat([Buffer.from("swarm-gen stat-cache 1\n"), whole.subarray(23)]);
    for (const bytes of [Buffer.alloc(0), whole.subarray(0, 50), whole.subarray(0, -84), flipped, older]) {
      writeFileSync(path, bytes);
      expect(read().size).toBe(0);
    }
    writeFileSync(path, whole);
    expect(read().size).toBe(COUNT);
  });
});
