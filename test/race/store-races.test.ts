/** Two or more processes that want the same thing of one store at the same moment. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { fastParent } from "../fixtures/fast-folder.ts";
import type { GateChildRequest } from "../fixtures/gate-child.ts";
import { runChild } from "../fixtures/run-child.ts";
import type { StoreChildRequest } from "../fixtures/store-child.ts";
import { leftoversIn } from "../fixtures/store-leftovers.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

const PROFILE = "default";

function makeWorld(): StoreWorld {
  const world = createStoreWorld({}, fastParent());
  onTestFinished(() => world.remove());
  return world;
}

test("six processes that make one store and stage one source in it all succeed with one generation (T9)", async () => {
  const world = makeWorld();
  const source = writeTree(join(world.folder, "source"), { "a.js": "1;\n", "b/c.js": "2;\n" });
  const request: StoreChildRequest = {
    root: world.layout.root,
    importChoice: "hardlink",
    kill: null,
    steps: [{ do: "stage", source }],
  };
  const ended = await Promise.all(Array.from({ length: 6 }, () => runChild("./store-child.ts", request)));
  const results = ended.map(({ stdout }) => JSON.parse(stdout) as { generation?: string; new?: boolean });
  expect(new Set(results.map(({ generation }) => generation)).size, JSON.stringify(ended)).toBe(1);
  expect(results.filter((result) => result.new)).toHaveLength(1);
  expect((await world.store.verify({})).damage).toEqual([]);
  await world.store.collect({ mode: "delete" });
  expect(leftoversIn(world.layout)).toEqual([]);
});

describe.each(["replace", "overwrite"])("a source whose files a program goes on to %s", (way) => {
  test("is refused or published as it stood at one instant, never mixed (T8)", async () => {
    const world = makeWorld();
    const source = join(world.folder, "source");
    writeTree(source, Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`m/${n}.js`, `${n};\n`])));
    const stop = await startWriter(source, way);
    const outcomes = { published: 0, refused: 0 };
    for (let attempt = 0; attempt < 40; attempt += 1) {
      try {
        const { generation } = await world.store.stage({ source, bare: true });
        const [a, z] = ["a", "z"].map((name) =>
          Number(readFileSync(join(world.layout.generation(generation), name))),
        );
        expect([z, (z ?? 0) + 1], `a ${a}, z ${z}`).toContain(a);
        outcomes.published += 1;
      } catch (error) {
        if (!(error instanceof CodedError) || error.code !== "source_refused") throw error;
        outcomes.refused += 1;
      }
    }
    await stop();
    expect(outcomes.published).toBeGreaterThan(0);
    expect((await world.store.verify({})).damage).toEqual([]);
  });
});

/** Resolves once the writer is at work, to what ends it. */
function startWriter(source: string, way: string): Promise<() => Promise<void>> {
  const program = fileURLToPath(new URL("../fixtures/pair-writer.ts", import.meta.url));
  const child = spawn(process.execPath, [program, source, way], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.stdout.once("data", () =>
      resolve(() => {
        child.stdin.end();
        return ended;
      }),
    );
  });
}

test("no launch starts while admission is closed, however many try (GATE-1)", async () => {
  const world = makeWorld();
  const { store } = world;
  const source = writeTree(join(world.folder, "source"), { "a.js": "1;\n" });
  const { generation } = await store.stage({ source, bare: true });
  store.activate({ generation, profile: PROFILE, by: "a test" });
  const children = ["one", "two", "three"].map((name) => {
    const request: GateChildRequest = {
      root: world.layout.root,
      name,
      generation,
      profile: PROFILE,
      forMs: 4_000,
    };
    return runChild("./gate-child.ts", request);
  });
  let isRunning = true;
  const ended = Promise.all(children).finally(() => {
    isRunning = false;
  });
  let closings = 0;
  while (isRunning) {
    const { epoch } = store.admission.close({
      profile: PROFILE,
      command: "a test",
      reason: "a race",
      target: null,
    });
    closings += 1;
    const running = startedIn(world);
    for (let look = 0; look < 100; look += 1) {
      await nextTurn();
      for (const id of startedIn(world)) expect(running, `${id} started behind a closed gate`).toContain(id);
    }
    store.admission.open({ profile: PROFILE, epoch });
    const before = startedIn(world).length;
    while (isRunning && startedIn(world).length === before) await nextTurn();
  }
  const counts = (await ended).map(({ code, stdout, stderr }) => {
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as { started: number; refused: number };
  });
  expect(closings).toBeGreaterThan(1);
  const said = JSON.stringify(counts);
  expect(
    counts.some(({ started }) => started > 0),
    said,
  ).toBe(true);
  expect(
    counts.some(({ refused }) => refused > 0),
    said,
  ).toBe(true);
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function startedIn({ store }: StoreWorld): string[] {
  return store.launches
    .list(PROFILE)
    .filter(({ stage }) => stage === "started")
    .map(({ launchId }) => launchId);
}
