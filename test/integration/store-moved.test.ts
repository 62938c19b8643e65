import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

let world: StoreWorld;
let source: string;

beforeEach(() => {
  world = createStoreWorld();
  source = writeTree(join(world.folder, "source"), {
    "main.js": 'process.stdout.write("ready"); setInterval(() => {}, 1000);\n',
  });
});

afterEach(() => world.remove());

describe("a store", () => {
  it("that was copied with cp -a verifies both ways, collects and keeps what is current", async () => {
    const { generation } = await world.store.stage({ source, bare: true });
    world.store.activate({ generation, profile: "default", by: "somebody" });
    world.store.close();
    const copy = join(world.folder, "copy");
    execFileSync("cp", ["-a", world.layout.root, copy]);
    const there = world.open({ root: copy });
    const quick = await there.verify({ quick: true });
    expect(quick).toMatchObject({ ok: true, checked: 1 });
    expect(quick.blind).toContainEqual(expect.stringContaining("no inodes are on record for this place"));
    await there.collect({ mode: "delete", olderThanMs: 0 });
    expect(await there.verify({})).toMatchObject({ ok: true, checked: 1 });
    expect(lstatSync(join(copy, "profiles", "default")).isSymbolicLink()).toBe(true);
    expect(existsSync(join(copy, "profiles", "default", "main.js"))).toBe(true);
  });

  it("below a linked home keeps what runs from it by its real path", async () => {
    symlinkSync(world.folder, join(world.folder, "linked"));
    const store = world.open({ root: join(world.folder, "linked", "store") });
    const { generation } = await store.stage({ source, bare: true });
    const child = spawn(process.execPath, [join(world.layout.generation(generation), "main.js")]);
    try {
      await once(child.stdout, "data");
      expect(store.why(generation).executing).toMatchObject([{ pid: child.pid }]);
      const { deleted, executing } = await store.collect({ mode: "delete", olderThanMs: 0 });
      expect(deleted).toEqual([]);
      expect(executing).toMatchObject([{ generation, pid: child.pid }]);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
