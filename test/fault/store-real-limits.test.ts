/**
 * Promise: a disk that is really full, really read-only, or a process that may really open no more
 * files, gives a typed error; what was there before is whole, and with room again all goes on (T7).
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { fastParent } from "../fixtures/fast-folder.ts";
import { runChild } from "../fixtures/run-child.ts";
import type { StoreChildRequest } from "../fixtures/store-child.ts";
import { leftoversIn } from "../fixtures/store-leftovers.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

const MOUNTS = process.platform === "linux" && process.getuid?.() === 0;
const NO_MOUNT = "only root on Linux may mount a file system";

function makeWorld(parent?: string, overrides = {}): StoreWorld {
  const world = createStoreWorld(overrides, parent);
  onTestFinished(() => world.remove());
  return world;
}

/** A file system of a given size; skips the test, with its reason, where none can be mounted. */
function mountTmpfs({ skip }: TestContext, megabytes: number): string {
  if (!MOUNTS) skip(NO_MOUNT);
  const folder = join(makeWorld().folder, "mounted");
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "none", folder], {
      stdio: "pipe",
    });
  } catch (error) {
    skip(`mounting is not allowed here: ${error instanceof Error ? error.message.split("\n")[0] : ""}`);
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return folder;
}

function source(world: StoreWorld, name: string, megabytes: number): string {
  const folder = writeTree(join(world.folder, name), { "a.js": `export const name = "${name}";\n` });
  writeFileSync(join(folder, "large.bin"), Buffer.alloc(megabytes * 1024 * 1024, name));
  return folder;
}

async function failureOf(act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    return error instanceof CodedError ? error.code : error;
  }
}

for (const threads of [false, true]) {
  test(`a full file system refuses a stage as disk_full, and takes it once there is room (threads ${threads})`, async (context) => {
    const mounted = mountTmpfs(context, 12);
    const sources = makeWorld();
    const world = makeWorld(mounted, { threads });
    const { generation: first } = await world.store.stage({
      source: source(sources, "first", 2),
      bare: true,
    });
    world.store.activate({ generation: first, profile: "default", by: "a test" });
    const filler = join(mounted, "filler");
    writeFileSync(filler, Buffer.alloc(5 * 1024 * 1024));
    // As many files as make a stage use its threads.
    const second = source(sources, "second", 7);
    for (let number = 0; number < 500; number += 1)
      writeFileSync(join(second, `${number}.js`), `${number};\n`);

    expect(await failureOf(() => world.store.stage({ source: second, bare: true }))).toBe("disk_full");

    expect(world.store.list().map(({ generation }) => generation)).toEqual([first]);
    expect((await world.store.verify({})).damage).toEqual([]);
    rmSync(filler);
    const { generation } = await world.store.stage({ source: second, bare: true });
    expect((await world.store.verify({ generations: [generation] })).ok).toBe(true);
    await world.store.collect({ mode: "delete" });
    expect(leftoversIn(world.layout)).toEqual([]);
  });
}

test("a full file system refuses an activation as disk_full, and nothing has changed", async (context) => {
  const mounted = mountTmpfs(context, 8);
  const sources = makeWorld();
  const world = makeWorld(mounted);
  const generations: string[] = [];
  for (const name of ["first", "second"])
    generations.push((await world.store.stage({ source: source(sources, name, 1), bare: true })).generation);
  const [first = "", second = ""] = generations;
  world.store.activate({ generation: first, profile: "default", by: "a test" });
  fill(join(mounted, "filler"));

  // Small transactions may still fit into pages that the index has; sooner or later they do not.
  const outcomes = new Set<unknown>();
  for (let turn = 0; turn < 200 && !outcomes.has("disk_full"); turn += 1) {
    const generation = turn % 2 === 0 ? second : first;
    const before = world.store.history("default").length;
    const failure = await failureOf(() =>
      world.store.activate({ generation, profile: "default", by: "a test" }),
    );
    if (typeof failure === "string") {
      outcomes.add(failure);
      expect(world.store.history("default")).toHaveLength(before);
    }
  }
  expect([...outcomes]).toEqual(["disk_full"]);
  rmSync(join(mounted, "filler"));
  world.store.activate({ generation: first, profile: "default", by: "a test" });
  world.store.activate({ generation: second, profile: "default", by: "a test" });
  expect((await world.store.verify({})).damage).toEqual([]);
});

function fill(path: string): void {
  for (let number = 0; ; number += 1) {
    try {
      writeFileSync(`${path}`, Buffer.alloc(4096), { flag: "a" });
    } catch {
      return;
    }
    if (number > 100_000) throw new Error("the file system does not fill up");
  }
}

test("a file system that turned read-only refuses to write as store_unavailable, and nothing has changed", async (context) => {
  const mounted = mountTmpfs(context, 12);
  const sources = makeWorld();
  const world = makeWorld(mounted);
  const { generation } = await world.store.stage({ source: source(sources, "first", 1), bare: true });
  const second = source(sources, "second", 1);
  world.store.close();
  execFileSync("mount", ["-o", "remount,ro", mounted]);
  const other = world.open();
  const attempts = {
    stage: () => other.stage({ source: second, bare: true }),
    activate: () => other.activate({ generation, profile: "default", by: "a test" }),
    pin: () => other.pin({ generation, reason: "a test" }),
    collect: () => other.collect({ mode: "delete", olderThanMs: 0 }),
  };
  for (const [name, act] of Object.entries(attempts))
    expect(await failureOf(act), name).toBe("store_unavailable");
  other.close();
  execFileSync("mount", ["-o", "remount,rw", mounted]);
  const again = world.open();
  expect(again.list().map((row) => row.generation)).toEqual([generation]);
  expect((await again.verify({})).damage).toEqual([]);
  await again.stage({ source: second, bare: true });
});

test("a process that may open few files fails as store_unavailable or succeeds, at every limit", async (context) => {
  if (!existsSync("/usr/bin/prlimit")) context.skip("there is no prlimit to lower the limit with");
  const world = makeWorld(fastParent());
  const folder = writeTree(join(world.folder, "source"), { "a.js": "1;\n" });
  for (let number = 0; number < 500; number += 1) writeFileSync(join(folder, `${number}.js`), `${number};\n`);
  const request: StoreChildRequest = {
    root: world.layout.root,
    importChoice: "hardlink",
    kill: null,
    steps: [{ do: "stage", source: folder }],
  };
  const outcomes = new Map<number, string>();
  for (let limit = 20; limit <= 60; limit += 2) {
    const { code, stdout, stderr } = await runChild("./store-child.ts", request, [
      "/usr/bin/prlimit",
      `--nofile=${limit}`,
    ]);
    // Node itself needs some twenty descriptors to start; below that it says so in its own words.
    if (code !== 0 && /EMFILE|too many open files/i.test(stderr) && stdout === "") continue;
    expect(code, `${limit}: ${stderr}`).toBe(0);
    const { failed = "staged" } = JSON.parse(stdout) as { failed?: string };
    // Node's loader fails before our code is there; its errors have no code of the system.
    if (/package config|Cannot find (module|package)/.test(failed)) continue;
    outcomes.set(limit, failed);
    expect(["staged", "store_unavailable"], `limit ${limit}`).toContain(failed);
  }
  expect(new Set(outcomes.values())).toEqual(new Set(["staged", "store_unavailable"]));
  expect((await world.store.verify({})).damage).toEqual([]);
  await world.store.collect({ mode: "delete" });
  expect(leftoversIn(world.layout)).toEqual([]);
});

test("source, store and temporary folder on different file systems give the same id (T2)", async (context) => {
  const mounted = mountTmpfs(context, 12);
  const here = makeWorld();
  const there = makeWorld(mounted);
  const folder = source(here, "first", 1);
  const staged = await here.store.stage({ source: folder, bare: true });
  expect((await there.store.stage({ source: folder, bare: true })).generation).toBe(staged.generation);
  const archive = join(here.folder, "export.tar");
  await here.store.exportTo(staged.generation, { file: archive });
  const third = makeWorld(fastParent());
  expect((await third.store.importFrom({ archive })).generation).toBe(staged.generation);
  expect(readdirSync(third.layout.generations)).toEqual([staged.generation]);
});
