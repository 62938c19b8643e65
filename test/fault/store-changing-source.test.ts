/**
 * A source that changes at the worst moments: between the look at one file and the look at the
 * next, while the first is known from an earlier stage and so is not read again (T8).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createStore } from "../../src/store/create-store.ts";
import type { FileSystem } from "../../src/store/file-system.ts";
import { createLayout } from "../../src/store/layout.ts";
import { createSources } from "../../src/store/source/create-sources.ts";
import { hostOf } from "../../src/store/source/host.ts";
import { createRunCommand } from "../../src/store/source/run-command.ts";
import { makeFastFolder } from "../fixtures/fast-folder.ts";
import { removeAll, storeDeps, writeTree } from "../fixtures/store-world.ts";

/** Stages a folder twice; `rewrite` is called ahead of the second one's first look at `z.txt`. */
async function stageTwice(rewrite: (source: string) => void): Promise<[a: string, z: string]> {
  const folder = makeFastFolder();
  onTestFinished(() => removeAll(folder));
  const source = writeTree(join(folder, "source"), { "a.txt": "0\n", "m.txt": "m\n", "z.txt": "0\n" });
  const root = join(folder, "store");
  const layout = createLayout(root);
  const deps = storeDeps(root);
  let isArmed = false;
  const lstatSync = ((path: string, options: object) => {
    if (isArmed && path === join(source, "z.txt")) {
      isArmed = false;
      rewrite(source);
    }
    return deps.fs.lstatSync(path, options);
  }) as FileSystem["lstatSync"];
  const fs = { ...deps.fs, lstatSync, flush() {} };
  // An hour on, so that the files are old enough to be known from the first stage.
  const clock = { now: () => deps.clock.now() + 3_600_000 };
  const { ids } = deps;
  const pause = async () => {};
  const sources = createSources({
    fs,
    layout,
    clock,
    ids,
    host: hostOf(process),
    run: createRunCommand(),
    pause,
  });
  const store = createStore({ ...deps, fs, clock, threads: false, loadSources: async () => sources });
  onTestFinished(() => store.close());
  await store.stage({ source, bare: true });
  isArmed = true;
  const { generation } = await store.stage({ source, bare: true });
  expect(isArmed, "the source was rewritten in the middle").toBe(false);
  const read = (name: string) => readFileSync(join(layout.generation(generation), name), "utf8");
  return [read("a.txt"), read("z.txt")];
}

test("both files rewritten between the looks at them: the pair is never mixed", async () => {
  const pair = await stageTwice((source) => {
    for (const name of ["a.txt", "z.txt"]) writeFileSync(join(source, name), "1\n");
  });
  expect(pair).toEqual(["1\n", "1\n"]);
});

test("a file that is rewritten after it was looked at is taken as it is then", async () => {
  expect(await stageTwice((source) => writeFileSync(join(source, "a.txt"), "1\n"))).toEqual(["1\n", "0\n"]);
});
