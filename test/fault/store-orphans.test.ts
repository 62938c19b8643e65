/** Trees that stand in a store without a row: what a crash, or the loss of the index, leaves. */

import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { ExecutionScan } from "../../src/kernel/processes.ts";
import { fastParent } from "../fixtures/fast-folder.ts";
import { quickDeps } from "../fixtures/quick-deps.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

const DAY_MS = 86_400_000;

async function worldWithOrphan(): Promise<{ world: StoreWorld; orphan: string }> {
  const world = createStoreWorld({ importChoice: "copy" }, fastParent());
  onTestFinished(() => world.remove());
  const source = writeTree(join(world.folder, "source"), { "lib/a.js": "export const a = 1;\n" });
  const { generation } = await world.store.stage({ source, bare: true });
  const db = new Database(world.layout.index);
  db.prepare("DELETE FROM generation").run();
  db.close();
  return { world, orphan: generation };
}

/** One byte of the same file becomes another; size, mode and time stay. */
function flipByte(world: StoreWorld, generation: string): void {
  const path = join(world.layout.generation(generation), "lib/a.js");
  const bytes = readFileSync(path);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  chmodSync(path, 0o644);
  writeFileSync(path, bytes);
  chmodSync(path, 0o444);
  world.deps.fs.utimesSync(path, 315_619_200, 315_619_200);
}

test("a whole one gets a row again, and is as young as its adoption", async () => {
  const { world, orphan } = await worldWithOrphan();
  await world.store.collect({ mode: "delete", olderThanMs: DAY_MS });
  expect(world.store.list().map(({ generation }) => generation)).toEqual([orphan]);
  expect((await world.store.verify({})).damage).toEqual([]);
});

test("one with a single other byte gets no row, and goes", async () => {
  const { world, orphan } = await worldWithOrphan();
  flipByte(world, orphan);
  await world.store.collect({ mode: "delete", olderThanMs: DAY_MS });
  expect(world.store.list()).toEqual([]);
  expect(readdirSync(world.layout.generations)).toEqual([]);
});

test("one with a folder of another mode gets no row", async () => {
  const { world, orphan } = await worldWithOrphan();
  chmodSync(join(world.layout.generation(orphan), "lib"), 0o755);
  await world.store.collect({ mode: "delete", olderThanMs: DAY_MS });
  expect(world.store.list()).toEqual([]);
});

test("a damaged one from which a process runs stays where it is", async () => {
  const { world, orphan } = await worldWithOrphan();
  flipByte(world, orphan);
  const tree = world.layout.generation(orphan);
  const { processes } = quickDeps(world.layout.root);
  const running: ExecutionScan = {
    executing: [{ pid: 1, path: join(tree, "lib/a.js"), command: "node lib/a.js" }],
    unreadable: [],
  };
  const executingBelow = (folder: string) => (folder === tree ? running : { executing: [], unreadable: [] });
  const store = world.open({ processes: { ...processes, executingBelow } });
  await store.collect({ mode: "delete", olderThanMs: DAY_MS });
  expect(existsSync(join(tree, "lib/a.js"))).toBe(true);
  expect(store.list()).toEqual([]);
});
