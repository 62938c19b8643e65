/** What users of updaters lost: a live program's code, changed or taken away beneath it (U1, U6, U7, U20). */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, lstatSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { longRunner, type RunningProgram, startProgram } from "../fixtures/long-runner.ts";
import { createStoreWorld, removeAll, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

let world: StoreWorld;
let store: Store;
let one: string;
let two: string;
const started: RunningProgram[] = [];

beforeAll(async () => {
  world = createStoreWorld();
  store = world.store;
  for (const build of ["one", "two"]) writeTree(join(world.folder, build), longRunner(build));
  one = (await store.stage({ source: join(world.folder, "one") })).generation;
});

afterEach(() => {
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
});

afterAll(() => world.remove());

async function start(generation: string, path?: string): Promise<RunningProgram> {
  const { path: tree, interpreter, entrypoints } = store.show(generation);
  const program = await startProgram(join(tree, interpreter!.path), join(tree, entrypoints.cli!), path);
  started.push(program);
  return program;
}

/** A newer build is staged and made current, and everything that may be collected is. */
async function upgrade() {
  two = (await store.stage({ source: join(world.folder, "two") })).generation;
  store.activate({ generation: two, profile: "default", by: "me" });
  return store.collect({ mode: "delete", olderThanMs: 0, keepLast: 0 });
}

describe("a program that was started from a generation", () => {
  it("U6: imports late and stops cleanly after a newer one was staged, activated and gc ran", async () => {
    store.activate({ generation: one, profile: "default", by: "me" });
    const program = await start(one);
    const { deleted, executing, live } = await upgrade();
    // No pin holds it any more; that it runs does.
    expect(store.why(one).pins).toEqual([]);
    expect(deleted).toEqual([]);
    expect(live.toSorted()).toEqual([one, two].toSorted());
    expect(executing.map(({ generation, pid }) => [generation, pid])).toEqual([[one, program.child.pid]]);
    expect(await program.ask("lazy")).toBe("lazy one");
    expect(await program.ask("SIGTERM")).toBe("stopped one");
    const [code, signal] = await once(program.child, "exit");
    expect([code, signal]).toEqual([0, null]);
    expect((await store.collect({ mode: "print-dead", olderThanMs: 0, keepLast: 0 })).dead).toEqual([one]);
  });

  it("U6, negative control: in an in-place layout the same program fails", async () => {
    const place = join(world.folder, "in-place");
    cpSync(join(world.folder, "one", "dist"), place, { recursive: true });
    const program = await startProgram(process.execPath, join(place, "main.mjs"));
    started.push(program);
    renameSync(place, `${place}.old`);
    cpSync(join(world.folder, "two", "dist"), place, { recursive: true });
    removeAll(`${place}.old`);
    expect(await program.ask("lazy")).toBe("failed ERR_MODULE_NOT_FOUND");
    expect(await program.ask("SIGTERM")).toBe("failed ERR_MODULE_NOT_FOUND");
  });

  it("U1: starts children by its own path under a launch pin, which gc respects and why names", async () => {
    const generation = (await store.stage({ source: join(world.folder, "one") })).generation;
    expect(generation).toBe(one);
    store.launches.reserve({
      launchId: "launch-7",
      generation: one,
      profile: "default",
      scope: "scope-1",
      ledgerInstance: "ledger-1",
    });
    store.launches.start("launch-7");
    const program = await start(one);
    expect((await upgrade()).deleted).toEqual([]);
    expect(await program.ask("child")).toBe(`child one ${join(store.show(one).path, "bin/node")}`);
    const { pins, collectable } = store.why(one);
    expect(pins.map(({ kind, reason }) => [kind, reason])).toEqual([
      ["launch", "launch launch-7 of scope scope-1"],
    ]);
    expect(collectable).toBe(false);
    // Also once the program is gone: only the pin's owner says when it is over.
    program.child.kill("SIGKILL");
    await once(program.child, "exit");
    expect((await store.collect({ mode: "delete", olderThanMs: 0, keepLast: 0 })).deleted).toEqual([]);
    expect(store.launches.release("launch-7")).toBe(true);
  });

  it("U7: keeps its very folder when the same content is staged again, and when it is repaired", async () => {
    await store.stage({ source: join(world.folder, "one") });
    const program = await start(one);
    const tree = store.show(one).path;
    const inodes = () => ["", "bin/node", "dist/main.mjs"].map((path) => lstatSync(join(tree, path)).ino);
    const before = inodes();
    expect((await store.stage({ source: join(world.folder, "one") })).new).toBe(false);
    expect(inodes()).toEqual(before);
    // A damaged file is mended beside the ones that are in use.
    chmodSync(join(tree, "dist"), 0o755);
    removeAll(join(tree, "dist/chunk-one.mjs"));
    chmodSync(join(tree, "dist"), 0o555);
    expect((await store.repair({ generation: one })).changed).toBe(true);
    expect(inodes()).toEqual(before);
    expect(await program.ask("lazy")).toBe("lazy one");
    expect(await program.ask("SIGTERM")).toBe("stopped one");
  });

  it("U20: runs on its own interpreter, with none or a wrong one on PATH", async () => {
    await store.stage({ source: join(world.folder, "one") });
    const wrong = join(world.folder, "wrong");
    mkdirSync(wrong, { recursive: true });
    writeFileSync(join(wrong, "node"), "#!/bin/sh\necho another node\nexit 3\n", { mode: 0o755 });
    const { interpreter, path } = store.show(one);
    for (const environment of ["/nowhere", wrong]) {
      const program = await start(one, environment);
      expect(program.greeting).toBe(`ready one ${join(path, "bin/node")} ${interpreter!.version}`);
      expect(await program.ask("child")).toBe(`child one ${join(path, "bin/node")}`);
      program.child.kill("SIGKILL");
      await once(program.child, "exit");
    }
    expect(interpreter!.version).toBe(process.version);
    // The control: that PATH does lead astray whoever looks a program up in it.
    expect(spawnSync("node", [], { env: { PATH: wrong }, encoding: "utf8" }).stdout).toBe("another node\n");
  });

  it("U4: does not see an edit of its source", async () => {
    await store.stage({ source: join(world.folder, "one") });
    const program = await start(one);
    writeFileSync(join(world.folder, "one/dist/chunk-one.mjs"), 'export const text = "edited";\n');
    try {
      expect(await program.ask("lazy")).toBe("lazy one");
    } finally {
      writeTree(join(world.folder, "one"), longRunner("one"));
    }
  });

  it("T1: has a tree that its own user cannot write to by accident", async (context) => {
    if (process.getuid?.() === 0) context.skip("modes bind nobody who is root");
    await store.stage({ source: join(world.folder, "one") });
    const file = join(store.show(one).path, "dist/chunk-one.mjs");
    expect(() => writeFileSync(file, "x")).toThrow("EACCES");
    expect(() => writeFileSync(join(dirname(file), "new"), "x")).toThrow("EACCES");
  });
});
