/** A consumer of the library: it imports the store's one entrance and brings ports of its own. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createNodeFileSystem, createStore, type Store, type StoreDeps } from "../../src/store/index.ts";
import { planOf } from "../fixtures/plan-of.ts";
import { removeAll } from "../fixtures/store-world.ts";

/** All that an embedder has to bring; a plan of one file in place of the recipes' machinery. */
function ports(root: string, file: string): StoreDeps {
  const self = { pid: process.pid, startTime: "1", boot: "embedded" };
  return {
    root,
    fs: createNodeFileSystem(),
    clock: { now: () => 1_700_000_000_000 },
    ids: { hex: (bytes) => randomBytes(bytes).toString("hex") },
    processes: {
      self: () => self,
      liveness: () => "alive",
      executingBelow: () => ({ executing: [], unreadable: [] }),
    },
    failpoints: { hit() {} },
    uid: process.getuid?.() ?? 0,
    loadSources: async () => ({
      assemble: async ({ source }) => ({
        name: "embedded",
        generationFile: DESCRIBED,
        ownPaths: [],
        provenance: { source, commit: null, dirty: null },
        plan: planOf([
          { kind: "bytes", path: "hello.txt", executable: false, bytes: Buffer.from(file) },
          {
            kind: "bytes",
            path: "generation.json",
            executable: false,
            bytes: Buffer.from(JSON.stringify(DESCRIBED)),
          },
        ]),
        remember: null,
        forget: null,
      }),
    }),
  };
}

const DESCRIBED = {
  format: 1,
  name: "embedded",
  contract: null,
  entrypoints: {},
  interpreter: null,
  platform: null,
  lockfile: null,
} as const;

it("a program that brings its own ports stages, activates, verifies, collects and closes", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "swarm-gen-library-")));
  try {
    const source = join(folder, "source");
    mkdirSync(source);
    writeFileSync(join(source, "hello.txt"), "hello\n");
    const store: Store = createStore(ports(join(folder, "store"), "hello\n"));
    const { generation, new: isNew, files } = await store.stage({ source });
    expect({ isNew, files }).toEqual({ isNew: true, files: 2 });
    expect(store.activate({ generation, profile: "default", by: "embedder" })).toEqual({
      activation: 1,
      generation,
      previous: null,
      changed: true,
    });
    expect(store.list()).toEqual([
      {
        generation,
        name: "embedded",
        files: 2,
        bytes: 6 + JSON.stringify(DESCRIBED).length,
        stagedAt: "2023-11-14T22:13:20.000Z",
        pins: 1,
        activations: 1,
      },
    ]);
    expect(await store.sums(generation)).toContainEqual({
      path: "hello.txt",
      // By sha256sum.
      sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
    });
    expect((await store.verify({})).ok).toBe(true);
    expect((await store.collect({ mode: "delete", olderThanMs: 0, keepLast: 0 })).live).toEqual([generation]);
    store.close();
  } finally {
    removeAll(folder);
  }
});
