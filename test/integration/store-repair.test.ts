/** Promise 6: a damaged generation is brought back from a proven copy, or left exactly as it was. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { gitMktreeId } from "../fixtures/git-referee.ts";
import { storeSnapshot } from "../fixtures/store-snapshot.ts";
import { createStoreWorld, removeAll, type StoreWorld, writeTree } from "../fixtures/store-world.ts";
import { overwrite, tamperWith } from "../fixtures/tampering.ts";

const TREE = {
  "bin/run": { text: "#!/bin/sh\n", mode: 0o755 },
  "lib/a.js": "aaaa\n",
  "lib/b.js": "bbbb\n",
  "lib/deep/c.js": "cccc\n",
  "lib/nothing": "",
  empty: null,
  link: "-> lib/a.js",
};

let world: StoreWorld;
let source: string;
let id: string;
let tree: string;

beforeEach(async () => {
  // Copies, so that a blob and the tree's file are two inodes, unless a test says otherwise.
  world = createStoreWorld({ importChoice: "copy" });
  source = writeTree(join(world.folder, "source"), TREE);
  id = (await world.store.stage({ source, bare: true, name: "small" })).generation;
  tree = world.layout.generation(id);
});

afterEach(() => world.remove());

const tamper = (path: string, act: (at: string) => void) => tamperWith(join(tree, path), act);

function loseBlobs(): void {
  for (const folder of readdirSync(world.layout.blobs)) removeAll(join(world.layout.blobs, folder));
}

/** The generation verifies in full and quickly, and Git agrees with its id. */
async function expectWhole(generation: string): Promise<void> {
  const { ok, damage } = await world.store.verify({ generations: [generation] });
  expect({ ok, damage }).toEqual({ ok: true, damage: [] });
  const quick = await world.store.verify({ generations: [generation], quick: true });
  expect(quick).toMatchObject({ ok: true, damage: [] });
  expect(quick.blind.length).toBe(1);
  expect(gitMktreeId(world.layout.generation(generation))).toBe(generation);
}

const DAMAGES: readonly (readonly [name: string, damage: () => void])[] = [
  ["a flipped byte", () => overwrite(join(tree, "lib/a.js"), "aaab\n")],
  ["a longer file", () => overwrite(join(tree, "lib/a.js"), "aaaa\n\n")],
  ["a mode", () => chmodSync(join(tree, "lib/a.js"), 0o666)],
  ["an executable's mode", () => chmodSync(join(tree, "bin/run"), 0o444)],
  ["a time", () => utimesSync(join(tree, "lib/a.js"), 1, 1)],
  ["an emptied empty file's mode", () => chmodSync(join(tree, "lib/nothing"), 0o644)],
  ["a missing file", () => tamper("lib/deep/c.js", unlinkSync)],
  ["a missing folder", () => tamper("lib", removeAll)],
  ["a missing empty folder", () => tamper("empty", (at) => rmSync(at, { recursive: true }))],
  ["an added file", () => tamper("lib/deep/x", (at) => writeFileSync(at, "x"))],
  ["an added folder", () => tamper("x", (at) => mkdirSync(join(at, "y/z"), { recursive: true }))],
  [
    "a link that points elsewhere",
    () =>
      tamper("link", (at) => {
        unlinkSync(at);
        symlinkSync("/etc/passwd", at);
      }),
  ],
  [
    "a link that became a folder",
    () =>
      tamper("link", (at) => {
        unlinkSync(at);
        mkdirSync(join(at, "x"), { recursive: true });
      }),
  ],
  [
    "a file that became a folder",
    () =>
      tamper("lib/a.js", (at) => {
        unlinkSync(at);
        mkdirSync(join(at, "x"), { recursive: true });
      }),
  ],
  [
    "a folder that became a file",
    () =>
      tamper("lib", (at) => {
        removeAll(at);
        writeFileSync(at, "");
      }),
  ],
  [
    "an emptied tree",
    () => tamper("lib", () => ["lib", "bin", "link"].map((path) => removeAll(join(tree, path)))),
  ],
  ["a writable folder", () => chmodSync(join(tree, "lib"), 0o777)],
  ["a writable root", () => chmodSync(tree, 0o700)],
  ["a folder that nobody may enter", () => chmodSync(join(tree, "lib"), 0)],
  ["a file that nobody may read", () => chmodSync(join(tree, "lib/a.js"), 0)],
  ["a tree that is gone", () => removeAll(tree)],
  [
    "a tree that became a file",
    () => {
      removeAll(tree);
      writeFileSync(tree, "");
    },
  ],
  ["a listing that is gone", () => unlinkSync(world.layout.listing(id))],
  ["a listing that is torn", () => writeFileSync(world.layout.listing(id), "swarm-gen li")],
  ["a listing with a wrong size", () => editListing(" 5\tlib/a.js", " 6\tlib/a.js")],
];

function editListing(from: string, to: string): void {
  const path = world.layout.listing(id);
  writeFileSync(path, readFileSync(path, "latin1").replace(from, to), "latin1");
}

describe("repair from the store's own blobs", () => {
  it.each(DAMAGES)("mends %s", async (_, damage) => {
    damage();
    const { damage: found } = await world.store.verify({ generations: [id] });
    expect(found.length).toBeGreaterThan(0);
    const { repaired, changed, generation } = await world.store.repair({ generation: id });
    expect({ repaired, changed, generation }).toEqual({ repaired: found, changed: true, generation: id });
    await expectWhole(id);
  });

  it("has nothing to do for a whole generation, and does nothing", async () => {
    const before = storeSnapshot(world.layout.root);
    expect(await world.store.repair({ generation: id })).toEqual({
      generation: id,
      repaired: [],
      changed: false,
    });
    expect(storeSnapshot(world.layout.root)).toEqual(before);
  });

  it("leaves no left-overs behind", async () => {
    removeAll(tree);
    await world.store.repair({ generation: id });
    expect(readdirSync(world.layout.generations)).toEqual([id]);
    expect(readdirSync(world.layout.manifests).sort()).toEqual([id, `${id}.inodes`]);
  });

  it("is refused for a generation that the store does not have", async () => {
    const refusal = await refusalOfAsync(() => world.store.repair({ generation: "f".repeat(64) }));
    expect(refusal?.code).toBe("generation_not_found");
  });
});

describe("repair without blobs", () => {
  beforeEach(() => loseBlobs());

  it("takes contents from another generation that has them at another path", async () => {
    const other = writeTree(join(world.folder, "other"), { "x/y/same.js": "aaaa\n" });
    await world.store.stage({ source: other, bare: true, name: "other" });
    loseBlobs();
    overwrite(join(tree, "lib/a.js"), "aaab\n");
    expect((await world.store.repair({ generation: id })).changed).toBe(true);
    await expectWhole(id);
  });

  it("takes what only lost its mode from where it stands", async () => {
    chmodSync(join(tree, "lib/a.js"), 0o666);
    expect((await world.store.repair({ generation: id })).changed).toBe(true);
    await expectWhole(id);
  });

  it.each(DAMAGES)("mends %s from a folder", async (_, damage) => {
    damage();
    expect((await world.store.repair({ generation: id, from: copyOfGeneration() })).changed).toBe(true);
    await expectWhole(id);
  });

  it("finds contents in a folder under any name", async () => {
    overwrite(join(tree, "lib/a.js"), "aaab\n");
    const from = writeTree(join(world.folder, "attic"), {
      "old/renamed.txt": "aaaa\n",
      "lib/a.js": "zzzz\n",
    });
    expect((await world.store.repair({ generation: id, from })).changed).toBe(true);
    await expectWhole(id);
  });

  it("mends a tree and a listing that are gone from an archive made by export", async () => {
    const archive = join(world.folder, "small.tar");
    await world.store.exportTo(id, { file: archive });
    removeAll(tree);
    unlinkSync(world.layout.listing(id));
    expect((await world.store.repair({ generation: id, from: archive })).changed).toBe(true);
    await expectWhole(id);
  });

  it("mends a torn listing and a tree that is gone from a folder", async () => {
    const from = copyOfGeneration();
    removeAll(tree);
    writeFileSync(world.layout.listing(id), "swarm-gen listing 1\n");
    expect((await world.store.repair({ generation: id, from })).changed).toBe(true);
    await expectWhole(id);
  });

  it("puts the good content back among the blobs", async () => {
    overwrite(join(tree, "lib/a.js"), "aaab\n");
    await world.store.repair({ generation: id, from: source });
    const [file] = (await world.store.files(id)).filter(({ path }) => path === "lib/a.js");
    expect(readFileSync(world.layout.blob(file!.digest, false), "utf8")).toBe("aaaa\n");
  });

  it.each([
    ["no source at all", () => undefined],
    ["a folder without it", () => writeTree(join(world.folder, "poor"), { "lib/a.js": "zzzz\n" })],
    [
      "a folder whose copy is damaged too",
      () => writeTree(join(world.folder, "bad"), { "lib/a.js": "aaab\n" }),
    ],
  ])("changes nothing where no good copy exists: %s", async (_, from) => {
    overwrite(join(tree, "lib/a.js"), "aaab\n");
    chmodSync(join(tree, "lib/b.js"), 0o666);
    tamper("extra", (at) => writeFileSync(at, "x"));
    const given = from();
    const before = storeSnapshot(world.layout.root);
    const refusal = await refusalOfAsync(() =>
      world.store.repair({ generation: id, ...(given === undefined ? {} : { from: given }) }),
    );
    expect(refusal?.toJSON()).toMatchObject({
      code: "generation_damaged",
      paths: ["lib/a.js"],
      changed: false,
    });
    expect(storeSnapshot(world.layout.root)).toEqual(before);
  });

  it("changes nothing where the listing is gone and no tree proves to be the generation", async () => {
    unlinkSync(world.layout.listing(id));
    overwrite(join(tree, "lib/a.js"), "aaab\n");
    const before = storeSnapshot(world.layout.root);
    const refusal = await refusalOfAsync(() => world.store.repair({ generation: id, from: source }));
    expect(refusal?.code).toBe("generation_damaged");
    expect(storeSnapshot(world.layout.root)).toEqual(before);
  });

  it("changes nothing where the source does not exist", async () => {
    overwrite(join(tree, "lib/a.js"), "aaab\n");
    const before = storeSnapshot(world.layout.root);
    const from = join(world.folder, "nowhere");
    expect((await refusalOfAsync(() => world.store.repair({ generation: id, from })))?.code).toBe(
      "not_found",
    );
    expect(storeSnapshot(world.layout.root)).toEqual(before);
  });
});

function copyOfGeneration(): string {
  return writeTree(join(world.folder, "copy"), {
    ...TREE,
    "generation.json":
      '{"contract":null,"entrypoints":{},"format":1,"interpreter":null,"lockfile":null,"name":"small","platform":null}\n',
  });
}

describe("what a repair must not do", () => {
  it("removes nothing behind a link that stands in a folder's place", async () => {
    const outside = writeTree(join(world.folder, "outside"), {
      "c.js": "mine",
      "mine.txt": "mine",
      "d/x": "mine",
    });
    tamper("lib/deep", (at) => {
      removeAll(at);
      symlinkSync(outside, at);
    });
    await world.store.repair({ generation: id });
    await expectWhole(id);
    expect(readdirSync(outside).sort()).toEqual(["c.js", "d", "mine.txt"]);
    expect(readFileSync(join(outside, "c.js"), "utf8")).toBe("mine");
    expect(lstatSync(join(outside, "c.js")).mode & 0o777).toBe(0o644);
  });

  it("follows no link in place of the tree itself", async () => {
    const outside = writeTree(join(world.folder, "outside"), { "mine.txt": "mine" });
    removeAll(tree);
    symlinkSync(outside, tree);
    await world.store.repair({ generation: id });
    await expectWhole(id);
    expect(readdirSync(outside)).toEqual(["mine.txt"]);
  });
});

describe("a copy behind a link in the tree's place", () => {
  it("is no witness, since it goes out of reach with the link; named as a source it is one", async () => {
    loseBlobs();
    const outside = copyOfGeneration();
    removeAll(tree);
    symlinkSync(outside, tree);
    const before = storeSnapshot(world.layout.root);
    expect((await refusalOfAsync(() => world.store.repair({ generation: id })))?.code).toBe(
      "generation_damaged",
    );
    expect(storeSnapshot(world.layout.root)).toEqual(before);
    await world.store.repair({ generation: id, from: outside });
    await expectWhole(id);
    expect(readFileSync(join(outside, "lib/a.js"), "utf8")).toBe("aaaa\n");
  });
});

describe("quick verification after a repair", () => {
  it("no longer reports a file that was replaced by its equal", async () => {
    tamper("lib/a.js", (at) => {
      writeFileSync(`${at}.new`, "aaaa\n");
      chmodSync(`${at}.new`, 0o444);
      utimesSync(`${at}.new`, 315_619_200, 315_619_200);
      renameSync(`${at}.new`, at);
    });
    const quick = await world.store.verify({ quick: true });
    expect(quick.damage.map(({ path, kind }) => `${kind} ${path}`)).toEqual(["inode lib/a.js"]);
    expect(await world.store.repair({ generation: id })).toEqual({
      generation: id,
      repaired: quick.damage,
      changed: true,
    });
    await expectWhole(id);
  });

  it("has inodes on record again where the record was gone", async () => {
    unlinkSync(world.layout.inodeRecord(id));
    expect(await world.store.repair({ generation: id })).toEqual({
      generation: id,
      repaired: [],
      changed: true,
    });
    expect(existsSync(world.layout.inodeRecord(id))).toBe(true);
    await expectWhole(id);
  });
});
