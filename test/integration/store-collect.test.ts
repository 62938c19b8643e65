import { chmodSync, lstatSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CollectRequest, Store } from "../../src/store/store.ts";
import { codeOf, refusalOfAsync } from "../fixtures/coded-error.ts";
import { storeSnapshot } from "../fixtures/store-snapshot.ts";
import { createStoreWorld, removeAll, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let now: number;
let world: StoreWorld;
let store: Store;

beforeEach(() => {
  now = Date.UTC(2026, 0, 2, 3, 4, 5);
  world = createStoreWorld({ clock: { now: () => now } });
  store = world.store;
});

afterEach(() => world.remove());

/** A generation with one file of its own, one that all share, and an empty one. */
async function stage(name: string, own = `only in ${name}\n`): Promise<string> {
  const source = writeTree(join(world.folder, name), {
    "bin/tool": { text: "#!/bin/sh\n", mode: 0o755 },
    "own.txt": own,
    "shared.txt": "in all of them\n",
    nothing: "",
  });
  return (await store.stage({ source, bare: true, name: "demo" })).generation;
}

async function stageAll(...names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(await stage(name));
  return ids;
}

const activate = (generation: string) => store.activate({ generation, profile: "default", by: "me" });
const collect = (more: Partial<CollectRequest> = {}) =>
  store.collect({ mode: "delete", olderThanMs: 0, ...more });

/** The sum of the sizes of all inodes that hold contents below these folders. */
function contentBytes(...folders: readonly string[]): number {
  const inodes = new Map<number, number>();
  const visit = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const at = join(path, entry.name);
      if (entry.isDirectory()) visit(at);
      else if (entry.isFile()) inodes.set(lstatSync(at).ino, lstatSync(at).size);
    }
  };
  for (const folder of folders) visit(folder);
  return [...inodes.values()].reduce((sum, size) => sum + size, 0);
}

describe("the one policy", () => {
  it("is the same for live, dead, dry-run and delete, to the byte", async () => {
    const [a, b, c] = (await stageAll("a", "b", "c")) as [string, string, string];
    activate(c);
    store.pin({ generation: b, reason: "x" });
    const before = contentBytes(world.layout.blobs);
    const snapshot = storeSnapshot(world.layout.root);
    const expected = { live: [b, c].toSorted(), dead: [a], executing: [] };
    const printed = [];
    for (const mode of ["print-live", "print-dead", "dry-run"] as const)
      printed.push(await collect({ mode }));
    expect(storeSnapshot(world.layout.root)).toEqual(snapshot);
    // `own.txt` of a; what the others hold too stays.
    const freedBytes = Buffer.byteLength("only in a\n");
    for (const result of printed) {
      expect(result).toEqual({ ...expected, deleted: [], freedBytes, swept: 0 });
    }
    const done = await collect();
    expect(done).toMatchObject({ ...expected, deleted: [a], freedBytes });
    expect(before - contentBytes(world.layout.blobs)).toBe(freedBytes);
    expect(store.list().map(({ generation }) => generation)).toEqual(expected.live);
    expect((await store.verify({})).ok).toBe(true);
  });

  it("done again finds nothing more to do", async () => {
    await stageAll("a", "b");
    await collect();
    const snapshot = storeSnapshot(world.layout.root);
    expect(await collect()).toEqual({
      live: [],
      dead: [],
      deleted: [],
      freedBytes: 0,
      executing: [],
      swept: 0,
    });
    expect(storeSnapshot(world.layout.root)).toEqual(snapshot);
  });

  it("takes blobs that no listing names, and frees all when all is dead", async () => {
    await stageAll("a", "b", "c");
    const before = contentBytes(world.layout.blobs);
    const { freedBytes, deleted } = await collect();
    expect(deleted.length).toBe(3);
    expect(freedBytes).toBe(before);
    expect(contentBytes(world.layout.blobs, world.layout.generations)).toBe(0);
    expect(readdirSync(world.layout.generations)).toEqual([]);
    expect(readdirSync(world.layout.manifests)).toEqual([]);
    expect((await store.info()).blobs).toBe(0);
  });

  it("tells a content's two modes apart: the executable of the dead goes, the plain file of the living stays", async () => {
    const plain = writeTree(join(world.folder, "plain"), { x: "same\n" });
    const program = writeTree(join(world.folder, "program"), { x: { text: "same\n", mode: 0o755 } });
    const kept = (await store.stage({ source: plain, bare: true, name: "demo" })).generation;
    await store.stage({ source: program, bare: true, name: "demo" });
    activate(kept);
    expect((await collect()).freedBytes).toBe(5);
    expect((await store.verify({})).ok).toBe(true);
  });

  it("works on a store that does not exist, and makes none for a look", async () => {
    const nowhere = join(world.folder, "nowhere");
    const result = await world.open({ root: nowhere }).collect({ mode: "dry-run" });
    expect(result).toEqual({ live: [], dead: [], deleted: [], freedBytes: 0, executing: [], swept: 0 });
    expect(readdirSync(world.folder)).toEqual([]);
  });
});

describe("the grace time", () => {
  it("keeps what was staged in the last day, pinned or not, and not a millisecond longer", async () => {
    const [a] = (await stageAll("a")) as [string];
    now += DAY_MS - 1;
    expect((await store.collect({ mode: "delete" })).deleted).toEqual([]);
    now += 1;
    expect((await store.collect({ mode: "delete" })).deleted).toEqual([a]);
  });

  it("is what the request says", async () => {
    const [a] = (await stageAll("a")) as [string];
    now += 2 * HOUR_MS;
    const [b] = (await stageAll("b")) as [string];
    expect((await store.collect({ mode: "delete", olderThanMs: HOUR_MS })).deleted).toEqual([a]);
    expect(store.list().map(({ generation }) => generation)).toEqual([b]);
  });
});

describe("keep-last", () => {
  it("keeps that many activations before the current one, fewer than the store does or more", async () => {
    const ids = await stageAll("a", "b", "c", "d", "e", "f", "g");
    for (const id of ids) activate(id);
    const dead = async (keepLast?: number) =>
      (
        await collect({ mode: "print-dead", ...(keepLast === undefined ? {} : { keepLast }) })
      ).dead.toSorted();
    expect(await dead()).toEqual(ids.slice(0, 3).toSorted());
    expect(await dead(3)).toEqual(ids.slice(0, 3).toSorted());
    expect(await dead(5)).toEqual(ids.slice(0, 1).toSorted());
    expect(await dead(100)).toEqual([]);
    expect(await dead(0)).toEqual(ids.slice(0, 6).toSorted());
    expect((await collect({ keepLast: 5 })).deleted).toEqual(ids.slice(0, 1));
    expect((await collect({ keepLast: 1 })).deleted.toSorted()).toEqual(ids.slice(1, 5).toSorted());
    expect(store.resolve("@previous", "default")).toBe(ids[5]);
  });

  it("counts in each profile apart", async () => {
    const [a, b, c] = (await stageAll("a", "b", "c")) as [string, string, string];
    for (const id of [a, b]) activate(id);
    store.activate({ generation: c, profile: "canary", by: "me" });
    expect((await collect({ keepLast: 0 })).deleted).toEqual([a]);
  });
});

describe("what was collected", () => {
  it("is remembered with its time, staged again as before, and remembered as both", async () => {
    const [a] = (await stageAll("a")) as [string];
    now += DAY_MS;
    await collect();
    expect(store.why(a)).toEqual({
      generation: a,
      state: "collected",
      pins: [],
      executing: [],
      lapsed: [],
      collectable: false,
      stagedAt: null,
      collectedAt: "2026-01-03T03:04:05.000Z",
    });
    now += DAY_MS;
    expect(await stage("a")).toBe(a);
    expect(store.why(a)).toMatchObject({
      state: "present",
      stagedAt: "2026-01-04T03:04:05.000Z",
      collectedAt: null,
      collectable: true,
    });
    expect((await store.verify({})).ok).toBe(true);
  });

  it("is told from what never was", () => {
    expect(codeOf(() => store.why("0".repeat(64)))).toBe("generation_not_found");
  });

  it("is not to be pinned, activated or shown", async () => {
    const [a] = (await stageAll("a")) as [string];
    await collect();
    expect(codeOf(() => store.pin({ generation: a, reason: "x" }))).toBe("generation_not_found");
    expect(codeOf(() => activate(a))).toBe("generation_not_found");
    expect(codeOf(() => store.show(a))).toBe("generation_not_found");
    expect((await refusalOfAsync(() => store.files(a)))?.code).toBe("generation_not_found");
    expect((await refusalOfAsync(() => store.sums(a)))?.code).toBe("generation_not_found");
  });
});

describe("a damaged store", () => {
  it.each([
    ["gone", (path: string) => unlinkSync(path)],
    ["torn", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 100))],
  ])("whose living generation's listing is %s loses no blob, and says what to mend", async (_, damage) => {
    const [a] = (await stageAll("a", "b")) as [string];
    activate(a);
    damage(world.layout.listing(a));
    const blobs = (await store.info()).blobs;
    for (const mode of ["dry-run", "delete"] as const) {
      const refusal = await refusalOfAsync(() => collect({ mode }));
      expect(refusal?.code).toBe("generation_damaged");
      expect(refusal?.hint).toContain(`swarm-gen repair ${a}`);
    }
    expect((await store.info()).blobs).toBe(blobs);
    await store.repair({ generation: a });
    await collect();
    expect((await store.verify({})).ok).toBe(true);
    expect((await store.info()).blobs).toBe(blobs - 1);
  });

  it("that lost its index gets its whole trees back, and none that is damaged", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    store.close();
    for (const suffix of ["", "-wal", "-shm"]) removeAll(`${world.layout.index}${suffix}`);
    chmodSync(world.layout.generation(b), 0o755);
    removeAll(join(world.layout.generation(b), "own.txt"));
    const again = world.open();
    expect(again.list()).toEqual([]);
    const { live } = await again.collect({ mode: "delete" });
    expect(live).toEqual([a]);
    expect(await again.verify({})).toMatchObject({ ok: true, checked: 1 });
    expect(readdirSync(world.layout.generations)).toEqual([a]);
    expect(again.show(a).name).toBe("demo");
  });
});
