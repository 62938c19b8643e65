/** What the store tells of its generations: differences by component, sizes, and the whole of it. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GenerationDiff } from "../../src/store/store.ts";
import { createStoreWorld, type StoreWorld, type TreeSpec, writeTree } from "../fixtures/store-world.ts";

let world: StoreWorld;

beforeEach(() => {
  world = createStoreWorld();
});

afterEach(() => world.remove());

const manifest = (name: string, version: string) => JSON.stringify({ name, version });

const RECIPE = JSON.stringify({
  format: 1,
  name: "demo",
  include: ["*.mjs", "hooks", "skills"],
  dependencies: { mode: "as-is" },
  interpreter: "none",
  entrypoints: { cli: "cli.mjs", hooks: { Stop: "hooks/stop.mjs" }, skills: ["skills/review"] },
});

const BEFORE: TreeSpec = {
  "generations/demo.json": RECIPE,
  "cli.mjs": "console.log(1);\n",
  "lib.mjs": "export const a = 1;\n",
  "hooks/stop.mjs": "stop\n",
  "skills/review/SKILL.md": "review\n",
  "node_modules/plain/package.json": manifest("plain", "1.0.0"),
  "node_modules/plain/index.js": "1\n",
  "node_modules/gone/package.json": manifest("gone", "3.0.0"),
  "node_modules/@scope/tool/package.json": manifest("@scope/tool", "2.0.0"),
  "node_modules/same/package.json": manifest("same", "4.0.0"),
};

async function stage(name: string, tree: TreeSpec): Promise<string> {
  const source = writeTree(join(world.folder, name), tree);
  return (await world.store.stage({ source })).generation;
}

const components = ({ components }: GenerationDiff) =>
  components.map(({ component, name, change, before, after }) => [component, name, change, before, after]);
const files = ({ files }: GenerationDiff) =>
  files.map(({ path, component, change }) => [component, change, path]);

describe("diff", () => {
  it("names packages with their versions, hooks by event, skills, and counts code", async () => {
    const { "node_modules/gone/package.json": _, ...kept } = BEFORE;
    const a = await stage("a", BEFORE);
    const b = await stage("b", {
      ...kept,
      "cli.mjs": "console.log(22);\n",
      "more.mjs": "",
      "hooks/stop.mjs": "stop it\n",
      "skills/review/SKILL.md": "review well\n",
      "node_modules/plain/package.json": manifest("plain", "1.1.0"),
      "node_modules/@scope/tool/package.json": manifest("@scope/tool", "2.0.1"),
      "node_modules/fresh/package.json": manifest("fresh", "0.1.0"),
    });
    const diff = await world.store.diff(a, b);
    expect(components(diff)).toEqual([
      ["dependencies", "@scope/tool", "changed", "2.0.0", "2.0.1"],
      ["dependencies", "fresh", "added", null, "0.1.0"],
      ["dependencies", "gone", "removed", "3.0.0", null],
      ["dependencies", "plain", "changed", "1.0.0", "1.1.0"],
      ["hooks", "Stop", "changed", "hooks/stop.mjs", "hooks/stop.mjs"],
      ["skills", "skills/review", "changed", "skills/review", "skills/review"],
      ["code", "", "changed", null, "1 added, 0 removed, 1 changed"],
    ]);
    expect(files(diff)).toEqual([
      ["code", "changed", "cli.mjs"],
      ["hooks", "changed", "hooks/stop.mjs"],
      ["code", "added", "more.mjs"],
      ["dependencies", "changed", "node_modules/@scope/tool/package.json"],
      ["dependencies", "added", "node_modules/fresh/package.json"],
      ["dependencies", "removed", "node_modules/gone/package.json"],
      ["dependencies", "changed", "node_modules/plain/package.json"],
      ["skills", "changed", "skills/review/SKILL.md"],
    ]);
    expect(diff).toMatchObject({ from: a, to: b });
    const cli = diff.files[0]!;
    expect([cli.before?.mode, cli.before?.size, cli.after?.size]).toEqual(["100644", 16, 17]);
    expect(diff.bytesBefore).toBe(world.store.show(a).bytes);
    expect(diff.bytesAfter).toBe(world.store.show(b).bytes);
  });

  it("is the other way round, the other way round", async () => {
    const a = await stage("a", BEFORE);
    const b = await stage("b", { ...BEFORE, "more.mjs": "x" });
    expect(files(await world.store.diff(b, a))).toEqual([["code", "removed", "more.mjs"]]);
    expect((await world.store.diff(a, a)).files).toEqual([]);
    expect((await world.store.diff(a, a)).components).toEqual([]);
  });

  it("sees a mode, a link's target and an empty folder, which change the id as well", async () => {
    const source = (name: string, tree: TreeSpec) => writeTree(join(world.folder, name), tree);
    const stageBare = async (name: string, tree: TreeSpec) =>
      (await world.store.stage({ source: source(name, tree), bare: true, name: "x" })).generation;
    const a = await stageBare("a", { run: "x", link: "-> run", "sub/file": "" });
    const b = await stageBare("b", {
      run: { text: "x", mode: 0o755 },
      link: "-> sub/file",
      "sub/file": "",
      hollow: null,
    });
    const diff = await world.store.diff(a, b);
    expect(
      diff.files.map(({ path, change, before, after }) => [path, change, before?.mode, after?.mode]),
    ).toEqual([
      ["hollow", "added", undefined, "040000"],
      ["link", "changed", "120000", "120000"],
      ["run", "changed", "100644", "100755"],
    ]);
  });
});

describe("info", () => {
  it("counts what is there, apart from what is shared", async () => {
    const stageBare = async (name: string, tree: TreeSpec) =>
      world.store.stage({ source: writeTree(join(world.folder, name), tree), bare: true, name: "x" });
    const a = await stageBare("a", { own: "12345", shared: "1234567890", nothing: "" });
    const b = await stageBare("b", { own: "abc", shared: "1234567890" });
    world.store.activate({ generation: b.generation, profile: "default", by: "me" });
    const info = await world.store.info();
    const described = 108;
    expect(info).toMatchObject({
      path: world.layout.root,
      generations: 2,
      pinned: 1,
      files: 4 + 3,
      apparentBytes: 5 + 10 + described + (3 + 10 + described),
      blobs: 4,
      blobBytes: 5 + 10 + 3 + described,
      indexBytes: lstatSync(world.layout.index).size,
      alarms: [],
    });
    expect([a.bytes, b.bytes]).toEqual([5 + 10 + described, 3 + 10 + described]);
    expect(a.reused).toEqual({ files: 1, bytes: 0 });
    const blobs = readdirSync(world.layout.blobs).flatMap((folder) =>
      readdirSync(join(world.layout.blobs, folder)),
    );
    expect(blobs.length).toBe(4);
  });

  it("raises an alarm when more than fifty generations are pinned", async () => {
    for (let index = 0; index <= 50; index += 1) {
      expect((await world.store.info()).alarms).toEqual([]);
      const source = writeTree(join(world.folder, `n${index}`), { n: String(index) });
      const { generation } = await world.store.stage({ source, bare: true, name: "x" });
      world.store.pin({ generation, reason: "hoarded" });
    }
    expect((await world.store.info()).alarms).toEqual([
      "51 generations are pinned; swarm-gen ls shows them and swarm-gen why ID says why each is kept.",
    ]);
  });
});
