/**
 * Promise: a process that is killed at any point of stage, import, activate, rollback or
 * collection leaves a store that is wholly old or wholly new, in which the next command works,
 * nothing pinned is lost, and nothing is left over after the next collection.
 *
 * Every failpoint is hit by a real `kill -9` of a real process, at each of its first passes.
 */
import { describe, expect, test } from "vitest";
import type { ImportChoice } from "../../src/store/stage/share-content.ts";
import { createCountingFailpoints, failpointsBelow, type KillAt } from "../fixtures/crash-failpoints.ts";
import { SCENARIOS, type Scenario } from "../fixtures/crash-scenarios.ts";
import { expectRecovery } from "../fixtures/expect-recovery.ts";
import { fastParent } from "../fixtures/fast-folder.ts";
import { quickDeps } from "../fixtures/quick-deps.ts";
import { runChild } from "../fixtures/run-child.ts";
import { perform, type StoreChildRequest } from "../fixtures/store-child.ts";
import { createStoreWorld, type StoreWorld } from "../fixtures/store-world.ts";

const IMPORT_CHOICES = ["hardlink", "copy"] as const;
/** A loop passes a point for each of its turns; the first two and the last are enough. */
const passesOf = (hits: number) => [...new Set([1, Math.min(2, hits), hits])];

const hitAnywhere = new Set<string>();

describe.each(IMPORT_CHOICES)("import method %s", (importChoice) => {
  describe.each(Object.entries(SCENARIOS))("%s", (_, scenario) => {
    test("survives kill -9 at every failpoint that it passes", async () => {
      const hits = await countHits(importChoice, scenario);
      expect(hits.size).toBeGreaterThan(0);
      for (const [name, passes] of hits) {
        hitAnywhere.add(name);
        for (const hit of passesOf(passes)) await killAndRecover(importChoice, scenario, { name, hit });
      }
    });
  });
});

test("every failpoint in the store's sources was one of those", () => {
  expect([...hitAnywhere].sort()).toEqual(failpointsBelow("src/store"));
});

async function inWorld(importChoice: ImportChoice, act: (world: StoreWorld) => Promise<void>) {
  const { fs, processes } = quickDeps("");
  const world = createStoreWorld({ importChoice, fs, processes }, fastParent());
  try {
    await act(world);
  } finally {
    world.remove();
  }
}

async function countHits(importChoice: ImportChoice, scenario: Scenario) {
  const failpoints = createCountingFailpoints();
  await inWorld(importChoice, async (world) => {
    const { step } = await scenario(world);
    await perform(world.open({ failpoints }), step);
  });
  return failpoints.hits;
}

async function killAndRecover(importChoice: ImportChoice, scenario: Scenario, kill: KillAt) {
  await inWorld(importChoice, async (world) => {
    const prepared = await scenario(world);
    const request: StoreChildRequest = {
      root: world.layout.root,
      importChoice,
      kill,
      steps: [prepared.step],
    };
    const { signal, stdout, stderr } = await runChild("./store-child.ts", request);
    const what = `${kill.name} #${kill.hit}`;
    expect(signal, `${what}: ${stdout}${stderr}`).toBe("SIGKILL");
    await expectRecovery({ store: world.open(), layout: world.layout, prepared, what });
  });
}
