import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CollectRequest, StageProgress } from "../../src/store/store.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

let world: StoreWorld;

beforeEach(() => {
  world = createStoreWorld();
});

afterEach(() => world.remove());

/** Two generations of 300 files of their own, held by nothing. */
async function stageTwo(): Promise<void> {
  for (const name of ["one", "two"]) {
    const files = Object.fromEntries([...Array(300).keys()].map((at) => [`f${at}`, `${name} ${at}\n`]));
    await world.store.stage({ source: writeTree(join(world.folder, name), files), bare: true });
  }
}

const collect = (onProgress?: CollectRequest["onProgress"]) =>
  world.store.collect({
    mode: "delete",
    olderThanMs: 0,
    ...(onProgress === undefined ? {} : { onProgress }),
  });

describe("a collection", () => {
  it("tells of contents, then of trees, how far it is", async () => {
    await stageTwo();
    const told: StageProgress[] = [];
    await collect((progress) => told.push(progress));
    expect(told.map(({ step, filesDone, filesTotal }) => [step, filesDone, filesTotal])).toEqual([
      ["remove", 0, 602],
      ["remove", 256, 602],
      ["remove", 512, 602],
      ["sweep", 0, 0],
      ["sweep", 1, 0],
    ]);
  });

  it.each(["remove", "sweep"])("that is stopped at %s is brought to its end by the next one", async (at) => {
    await stageTwo();
    const stopped = collect(({ step }) => {
      if (step === at) throw new Error("stopped by the test");
    });
    await expect(stopped).rejects.toThrow("stopped by the test");
    expect(world.store.list()).toEqual([]);
    await collect();
    expect(readdirSync(world.layout.generations)).toEqual([]);
    const blobs = readdirSync(world.layout.blobs).flatMap((folder) =>
      readdirSync(join(world.layout.blobs, folder)),
    );
    expect(blobs).toEqual([]);
  });
});
