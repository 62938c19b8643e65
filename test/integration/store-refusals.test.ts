/** U11 and GATE-3 for the store: every refusal leaves disk and index as they were. X8: what is no change is none. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { storeSnapshot } from "../fixtures/store-snapshot.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

let world: StoreWorld;
let a: string;

beforeEach(async () => {
  world = createStoreWorld();
  const source = writeTree(join(world.folder, "good"), { "a.txt": "a", link: "-> a.txt" });
  a = (await world.store.stage({ source, bare: true, name: "demo" })).generation;
  world.store.activate({ generation: a, profile: "default", by: "me" });
});

afterEach(() => world.remove());

const source = (name: string) => join(world.folder, name);
const stage = (name: string, more = {}) =>
  world.store.stage({ source: source(name), bare: true, name: "x", ...more });

const REFUSALS: readonly (readonly [what: string, code: string, act: () => unknown])[] = [
  ["a source that is not there", "not_found", () => stage("nowhere")],
  [
    "a link that leaves the tree",
    "source_refused",
    () => {
      writeTree(source("bad"), { fine: "x" });
      symlinkSync("/etc/passwd", join(source("bad"), "link"));
      return stage("bad");
    },
  ],
  [
    "a fifo",
    "source_refused",
    () => {
      writeTree(source("bad"), { fine: "x" });
      spawnSync("mkfifo", [join(source("bad"), "pipe")]);
      return stage("bad");
    },
  ],
  [
    "a content that holds the source's own path, found while it was written",
    "source_refused",
    () => {
      writeTree(source("bad"), { "a-first": "new content", "z-last": `cd ${source("bad")}/lib` });
      return stage("bad");
    },
  ],
  [
    "two names that differ by case",
    "source_refused",
    () => {
      writeTree(source("bad"), { "README.md": "x", "readme.md": "y" });
      return stage("bad");
    },
  ],
  [
    "a recipe that is no JSON",
    "recipe_invalid",
    () => {
      writeTree(source("bad"), { "generations/x.json": "{", file: "x" });
      return world.store.stage({ source: source("bad") });
    },
  ],
  [
    "an archive that is none",
    "source_refused",
    () => {
      writeFileSync(source("bad.tgz"), "no archive");
      return world.store.stage({ source: source("bad.tgz"), bare: true });
    },
  ],
  [
    "an export of which a byte was flipped",
    "generation_damaged",
    async () => {
      const other = createStoreWorld();
      try {
        const tree = writeTree(join(other.folder, "b"), { "b.txt": "bbbb" });
        const { generation } = await other.store.stage({ source: tree, bare: true, name: "b" });
        await other.store.exportTo(generation, { file: source("b.tar") });
      } finally {
        other.remove();
      }
      const bytes = readFileSync(source("b.tar"));
      bytes[bytes.indexOf("bbbb")]! ^= 1;
      writeFileSync(source("b.tar"), bytes);
      return world.store.importFrom({ archive: source("b.tar") });
    },
  ],
  [
    "an import of what is not there",
    "not_found",
    () => world.store.importFrom({ archive: source("none.tar") }),
  ],
  [
    "an activation of what is not there",
    "generation_not_found",
    () => world.store.activate({ generation: "0".repeat(64), profile: "default", by: "me" }),
  ],
  ["a rollback before the first", "not_found", () => world.store.rollback({ profile: "default", by: "me" })],
  ["an unpin of what is no pin", "not_found", () => world.store.unpin("0123456789abcdef")],
  ["a start of what was not reserved", "not_found", () => world.store.launches.start("none")],
  [
    "an opening of admission that is not closed",
    "admission_lost",
    () => world.store.admission.open({ profile: "default", epoch: 0 }),
  ],
];

describe("a refusal (U11)", () => {
  it.each(REFUSALS)("of %s is %s and leaves everything as it was", async (_, code, act) => {
    const before = storeSnapshot(world.layout.root);
    const refusal = await refusalOfAsync(async () => act());
    expect(refusal?.code).toBe(code);
    expect(storeSnapshot(world.layout.root)).toEqual(before);
    expect((await world.store.verify({})).ok).toBe(true);
  });
});

describe("what is no change (X8)", () => {
  const git = (...args: string[]) => {
    const { status, stderr } = spawnSync(
      "git",
      ["-c", "user.name=t", "-c", "user.email=t@example.org", "-C", source("repo"), ...args],
      { encoding: "utf8", env: { PATH: process.env.PATH, HOME: world.folder, GIT_CONFIG_NOSYSTEM: "1" } },
    );
    if (status !== 0) throw new Error(stderr);
  };
  const stageRepo = () => stage("repo");

  beforeEach(() => {
    writeTree(source("repo"), { "main.mjs": "1\n", "lib/a.mjs": "a\n" });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "one");
  });

  it("same content in a dirty and in a clean checkout is one generation", async () => {
    const clean = await stageRepo();
    writeFileSync(join(source("repo"), "main.mjs"), "2\n");
    const dirty = await stageRepo();
    expect(dirty.generation).not.toBe(clean.generation);
    expect(world.store.show(dirty.generation).provenance).toMatchObject({ dirty: true });
    git("commit", "-aqm", "two");
    const committed = await stageRepo();
    expect(committed).toMatchObject({ generation: dirty.generation, new: false });
    writeFileSync(join(source("repo"), "main.mjs"), "1\n");
    expect(await stageRepo()).toMatchObject({ generation: clean.generation, new: false });
    expect(world.store.show(clean.generation).provenance).toMatchObject({
      dirty: false,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  it("the same content built anew, with other times and inodes, is the same generation and is current still", async () => {
    const first = await stageRepo();
    world.store.activate({ generation: first.generation, profile: "default", by: "me" });
    for (let build = 1; build <= 3; build += 1) {
      for (const name of ["main.mjs", "lib"]) rmSync(join(source("repo"), name), { recursive: true });
      mkdirSync(join(source("repo"), "lib"));
      writeFileSync(join(source("repo"), "lib/a.mjs"), "a\n");
      writeFileSync(join(source("repo"), "main.mjs"), "1\n");
      utimesSync(join(source("repo"), "main.mjs"), build, build);
      const again = await stageRepo();
      expect(again).toMatchObject({ generation: first.generation, new: false });
      const activated = { generation: again.generation, profile: "default", by: "me" };
      expect(world.store.activate(activated)).toMatchObject({ activation: 2, changed: false });
    }
  });

  it("an edit that keeps size and time is a change all the same", async () => {
    const file = join(source("repo"), "main.mjs");
    utimesSync(file, 1_000_000, 1_000_000);
    const first = await stageRepo();
    writeFileSync(file, "2\n");
    utimesSync(file, 1_000_000, 1_000_000);
    const second = await stageRepo();
    expect(second.generation).not.toBe(first.generation);
    expect(second.new).toBe(true);
    expect((await world.store.verify({})).ok).toBe(true);
  });
});
