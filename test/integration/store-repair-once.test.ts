import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createStoreWorld, removeAll, type StoreWorld, writeTree } from "../fixtures/store-world.ts";
import { overwrite } from "../fixtures/tampering.ts";

let world: StoreWorld;
let source: string;
let generation: string;

beforeEach(async () => {
  world = createStoreWorld();
  source = writeTree(join(world.folder, "source"), { "main.js": "1\n", "lib/a.js": "2\n" });
  ({ generation } = await world.store.stage({ source, bare: true }));
});

afterEach(() => world.remove());

describe("two repairs of one generation at once", () => {
  it.each([
    ["a file is damaged", () => overwrite(join(world.layout.generation(generation), "lib/a.js"), "3\n")],
    ["the tree is gone", () => removeAll(world.layout.generation(generation))],
  ])("where %s: one mends it, the other is refused and touches nothing", async (_, damage) => {
    damage();
    const answers = await Promise.allSettled(
      [world.store, world.open()].map((store) => store.repair({ generation, from: source })),
    );
    const [mended, refused] = answers.sort((a, b) => a.status.localeCompare(b.status));
    expect(mended).toMatchObject({ status: "fulfilled", value: { changed: true } });
    expect(refused).toMatchObject({ status: "rejected", reason: { code: "overloaded" } });
    expect(await world.store.verify({})).toMatchObject({ ok: true, checked: 1 });
    expect(world.store.show(generation).pins).toEqual([]);
  });

  it("does not count a repair whose process was killed", async () => {
    const { processes } = world.deps;
    const ended = { ...processes.self(), startTime: "1" };
    const dead = world.open({ processes: { ...processes, self: () => ended } });
    dead.pinForProcess(generation, "repaired by a running command");
    removeAll(world.layout.generation(generation));
    expect(await world.store.repair({ generation, from: source })).toMatchObject({ changed: true });
  });
});
