import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let world: StoreWorld;
let source: string;

beforeEach(() => {
  world = createStoreWorld();
  source = writeTree(join(world.folder, "source"), { "main.js": "1\n" });
});

afterEach(() => world.remove());

const inDays = (days: number) => world.open({ clock: { now: () => Date.now() + days * DAY_MS } });

describe("a collection", () => {
  it.each([
    ["keepLast", -1],
    ["keepLast", 1.5],
    ["keepLast", Number.NaN],
    ["olderThanMs", -1],
    ["olderThanMs", Number.NaN],
    ["olderThanMs", Number.POSITIVE_INFINITY],
  ])("with %s %d is refused, and the current generation stays", async (name, value) => {
    const { generation } = await world.store.stage({ source, bare: true });
    world.store.activate({ generation, profile: "default", by: "somebody" });
    await expect(inDays(9).collect({ mode: "delete", olderThanMs: 0, [name]: value })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(world.store.list()).toHaveLength(1);
  });

  it("keeps what was staged again within the last day, though the store had it long before", async () => {
    const { generation } = await world.store.stage({ source, bare: true });
    const later = inDays(3);
    expect(await later.stage({ source, bare: true })).toMatchObject({ generation, new: false });
    expect(await later.collect({ mode: "delete" })).toMatchObject({ dead: [] });
    expect(await inDays(5).collect({ mode: "delete" })).toMatchObject({ dead: [generation] });
  });

  it("removes the stat cache of a source that nobody staged for a month, and no younger one", async () => {
    await world.store.stage({ source, bare: true });
    await inDays(29).collect({ mode: "delete" });
    expect(readdirSync(world.layout.statCache)).toHaveLength(1);
    await inDays(31).collect({ mode: "delete" });
    expect(readdirSync(world.layout.statCache)).toEqual([]);
  });

  it("looks through the processes once for all trash, however much there is", async () => {
    let scans = 0;
    const { processes } = world.deps;
    const counting = {
      ...processes,
      executingBelow(folder: string) {
        scans += 1;
        return processes.executingBelow(folder);
      },
    };
    for (const text of ["1", "2", "3", "4"]) {
      await world.store.stage({ source: writeTree(join(world.folder, text), { "a.js": text }), bare: true });
    }
    const { deleted } = await world.open({ processes: counting }).collect({ mode: "delete", olderThanMs: 0 });
    expect(deleted).toHaveLength(4);
    // One before the plan, one before the trash is emptied.
    expect(scans).toBe(2);
    expect(readdirSync(world.layout.generations)).toEqual([]);
  });
});
