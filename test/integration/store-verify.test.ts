/** Promise 6: what full and quick verification find, each damage by its exact row. */
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
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
import type { Damage } from "../../src/store/store.ts";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { createStoreWorld, removeAll, type StoreWorld, writeTree } from "../fixtures/store-world.ts";
import { overwrite, tamperWith } from "../fixtures/tampering.ts";

const TREE = {
  "bin/run": { text: "#!/bin/sh\n", mode: 0o755 },
  "lib/a.js": "aaaa\n",
  "lib/b.js": "bbbb\n",
  "lib/deep/c.js": "cccc\n",
  empty: null,
  link: "-> lib/a.js",
};

// By git hash-object in a SHA-256 repository.
const DIGEST_A = "f65e705b9e19271b469b48b0f924cdf3e31b1405b08ceb659743a2d4f9b98756";
const DIGEST_FLIPPED = "291edd004152d91469a49da880796744fa2a23835a8cacd770e48ac0815c037a";
const DIGEST_B = "2827a3fdce97419d4859202b3a0541524cd9a47fb00ed91ee8d56d40f9422eb5";

let world: StoreWorld;
let id: string;
let tree: string;

beforeEach(async () => {
  world = createStoreWorld();
  const source = writeTree(join(world.folder, "source"), TREE);
  id = (await world.store.stage({ source, bare: true, name: "small" })).generation;
  tree = world.layout.generation(id);
});

afterEach(() => world.remove());

type Row = readonly [path: string, kind: Damage["kind"], expected: string | null, found: string | null];

async function rows(quick: boolean): Promise<Row[]> {
  const { ok, damage, checked } = await world.store.verify({ generations: [id], quick });
  expect(ok).toBe(damage.length === 0);
  expect(checked).toBe(1);
  expect(damage.every(({ generation }) => generation === id)).toBe(true);
  return damage.map(({ path, kind, expected, found }) => [path, kind, expected, found]);
}

const tamper = (path: string, act: (at: string) => void) => tamperWith(join(tree, path), act);

const FIXED = new Date("1980-01-02T00:00:00Z");

interface Case {
  readonly name: string;
  readonly damage: () => void;
  readonly full: readonly Row[];
  /** Default: the same as full. */
  readonly quick?: readonly Row[];
}

const CASES: readonly Case[] = [
  { name: "nothing", damage: () => {}, full: [] },
  {
    name: "one flipped byte, size and time put back",
    damage: () => overwrite(join(tree, "lib/a.js"), "aaab\n"),
    full: [["lib/a.js", "content", DIGEST_A, DIGEST_FLIPPED]],
    quick: [],
  },
  {
    name: "a byte more",
    damage: () => overwrite(join(tree, "lib/a.js"), "aaaa\n\n"),
    full: [["lib/a.js", "size", "5", "6"]],
  },
  {
    name: "another time",
    damage: () => utimesSync(join(tree, "lib/a.js"), FIXED, new Date("2020-02-02T00:00:00Z")),
    full: [["lib/a.js", "mtime", "1980-01-02T00:00:00.000Z", "2020-02-02T00:00:00.000Z"]],
  },
  {
    name: "a file that may be written",
    damage: () => chmodSync(join(tree, "lib/a.js"), 0o644),
    full: [["lib/a.js", "mode", "0444", "0644"]],
  },
  {
    name: "a program that may no longer be run",
    damage: () => chmodSync(join(tree, "bin/run"), 0o444),
    full: [["bin/run", "mode", "0555", "0444"]],
  },
  {
    name: "a set-id bit",
    damage: () => chmodSync(join(tree, "bin/run"), 0o4555),
    full: [["bin/run", "mode", "0555", "4555"]],
  },
  {
    name: "a link that points elsewhere",
    damage: () =>
      tamper("link", (at) => {
        // Renamed over it: after a removal first, the new link may get the old one's inode.
        symlinkSync("lib/b.js", `${at}.new`);
        renameSync(`${at}.new`, at);
      }),
    // The new link has a time and an inode of its own as well.
    full: [
      ["link", "mtime", "1980-01-02T00:00:00.000Z", expect.any(String) as unknown as string],
      ["link", "target", "lib/a.js", "lib/b.js"],
    ],
    quick: [
      ["link", "mtime", "1980-01-02T00:00:00.000Z", expect.any(String) as unknown as string],
      ["link", "inode", expect.any(String) as unknown as string, expect.any(String) as unknown as string],
      ["link", "target", "lib/a.js", "lib/b.js"],
    ],
  },
  {
    name: "an added file",
    damage: () => tamper("lib/x.js", (at) => writeFileSync(at, "x")),
    full: [["lib/x.js", "extra", null, "present"]],
  },
  {
    name: "an added folder, named once",
    damage: () => tamper("empty/x", (at) => mkdirSync(join(at, "y"), { recursive: true })),
    full: [["empty/x", "extra", null, "present"]],
  },
  {
    name: "a missing file",
    damage: () => tamper("lib/b.js", unlinkSync),
    full: [["lib/b.js", "missing", "file", null]],
  },
  {
    name: "a missing link",
    damage: () => tamper("link", unlinkSync),
    full: [["link", "missing", "link", null]],
  },
  {
    name: "a missing empty folder",
    damage: () => tamper("empty", (at) => rmSync(at, { recursive: true })),
    full: [["empty", "missing", "folder", null]],
  },
  {
    name: "a missing folder, with all that was in it",
    damage: () => tamper("lib", removeAll),
    full: [
      ["lib", "missing", "folder", null],
      ["lib/a.js", "missing", "file", null],
      ["lib/b.js", "missing", "file", null],
      ["lib/deep", "missing", "folder", null],
      ["lib/deep/c.js", "missing", "file", null],
    ],
  },
  {
    name: "a file replaced by its equal",
    damage: () =>
      tamper("lib/a.js", (at) => {
        copyFileSync(at, `${at}.new`);
        chmodSync(`${at}.new`, 0o444);
        utimesSync(`${at}.new`, FIXED, FIXED);
        renameSync(`${at}.new`, at);
      }),
    full: [],
    quick: [
      ["lib/a.js", "inode", expect.any(String) as unknown as string, expect.any(String) as unknown as string],
    ],
  },
  {
    name: "a file replaced by another of the same size, mode and time",
    damage: () =>
      tamper("lib/a.js", (at) => {
        writeFileSync(`${at}.new`, "bbbb\n");
        chmodSync(`${at}.new`, 0o444);
        utimesSync(`${at}.new`, FIXED, FIXED);
        renameSync(`${at}.new`, at);
      }),
    full: [["lib/a.js", "content", DIGEST_A, DIGEST_B]],
    quick: [
      ["lib/a.js", "inode", expect.any(String) as unknown as string, expect.any(String) as unknown as string],
    ],
  },
  {
    name: "a file that became a folder",
    damage: () =>
      tamper("lib/a.js", (at) => {
        unlinkSync(at);
        mkdirSync(join(at, "x"), { recursive: true });
      }),
    full: [["lib/a.js", "type", "file", "folder"]],
  },
  {
    name: "a file that became a link to its own content",
    damage: () =>
      tamper("lib/a.js", (at) => {
        renameSync(at, join(world.folder, "a.js"));
        symlinkSync(join(world.folder, "a.js"), at);
      }),
    full: [["lib/a.js", "type", "file", "link"]],
  },
  {
    name: "a folder that became a link to its own content",
    damage: () =>
      tamper("lib/deep", (at) => {
        chmodSync(at, 0o755);
        renameSync(at, join(world.folder, "deep"));
        symlinkSync(join(world.folder, "deep"), at);
      }),
    full: [
      ["lib/deep", "type", "folder", "link"],
      ["lib/deep/c.js", "missing", "file", null],
    ],
  },
  {
    name: "a folder that may be written",
    damage: () => chmodSync(join(tree, "lib"), 0o755),
    full: [["lib", "mode", "0555", "0755"]],
  },
  {
    name: "the tree's own folder that may be written",
    damage: () => chmodSync(tree, 0o755),
    full: [[".", "mode", "0555", "0755"]],
  },
  {
    name: "a tree that is gone",
    damage: () => removeAll(tree),
    full: [[".", "missing", "folder", null]],
  },
  {
    name: "a listing that is gone",
    damage: () => unlinkSync(world.layout.listing(id)),
    full: [[".", "listing", "ID", "missing"]],
  },
  {
    name: "a listing that is another's",
    damage: () => writeFileSync(world.layout.listing(id), "swarm-gen listing 1\n"),
    full: [[".", "listing", "ID", "malformed"]],
  },
  {
    name: "a listing with another link target",
    damage: () => edit(world.layout.listing(id), "lib/a.js\0", "lib/b.js\0", -1),
    full: [[".", "listing", "ID", "malformed"]],
  },
  {
    name: "a listing with another file size, which no digest in it covers",
    damage: () => edit(world.layout.listing(id), " 5\tlib/a.js", " 6\tlib/a.js", 0),
    full: [["lib/a.js", "listing", "6", "5"]],
    quick: [["lib/a.js", "size", "6", "5"]],
  },
  {
    name: "tree and listing gone",
    damage: () => {
      removeAll(tree);
      unlinkSync(world.layout.listing(id));
    },
    full: [
      [".", "missing", "folder", null],
      [".", "listing", "ID", "missing"],
    ],
  },
];

/** Replaces the first or, from the end, the last occurrence. */
function edit(path: string, from: string, to: string, which: 0 | -1): void {
  const text = readFileSync(path, "latin1");
  const at = which === 0 ? text.indexOf(from) : text.lastIndexOf(from);
  writeFileSync(path, text.slice(0, at) + to + text.slice(at + from.length), "latin1");
}

const named = (expected: readonly Row[]): Row[] =>
  expected.map(([path, kind, wanted, found]) => [path, kind, wanted === "ID" ? id : wanted, found]);

describe("full verification", () => {
  it.each(CASES)("finds $name", async ({ damage, full }) => {
    damage();
    expect(await rows(false)).toEqual(named(full));
  });

  it("finds all of several damages at once, in the order of their paths", async () => {
    overwrite(join(tree, "lib/a.js"), "aaab\n");
    chmodSync(join(tree, "lib/b.js"), 0o600);
    tamper("zzz", (at) => writeFileSync(at, ""));
    expect(await rows(false)).toEqual([
      ["lib/a.js", "content", DIGEST_A, DIGEST_FLIPPED],
      ["lib/b.js", "mode", "0444", "0600"],
      ["zzz", "extra", null, "present"],
    ]);
  });

  it("finds a tree of which nothing is left but its folder", async () => {
    chmodSync(tree, 0o755);
    for (const path of ["bin", "lib", "empty", "link", "generation.json"]) removeAll(join(tree, path));
    chmodSync(tree, 0o555);
    expect((await rows(false)).map(([path, kind]) => `${kind} ${path}`)).toEqual([
      "missing bin",
      "missing bin/run",
      "missing empty",
      "missing generation.json",
      "missing lib",
      "missing lib/a.js",
      "missing lib/b.js",
      "missing lib/deep",
      "missing lib/deep/c.js",
      "missing link",
    ]);
  });

  it("does not look behind a link that stands in a folder's place", async () => {
    const outside = writeTree(join(world.folder, "outside"), { "c.js": "cccc\n", "mine.txt": "mine" });
    tamper("lib/deep", (at) => {
      removeAll(at);
      symlinkSync(outside, at);
    });
    expect(await rows(false)).toEqual([
      ["lib/deep", "type", "folder", "link"],
      ["lib/deep/c.js", "missing", "file", null],
    ]);
  });

  it("names every generation that shares the damaged inode", async () => {
    const source = writeTree(join(world.folder, "other"), { "x/same.js": "aaaa\n" });
    const { generation: other } = await world.store.stage({ source, bare: true, name: "other" });
    overwrite(join(tree, "lib/a.js"), "aaab\n");
    const { damage, checked, ok } = await world.store.verify({});
    expect({ ok, checked }).toEqual({ ok: false, checked: 2 });
    const shared = lstatSync(join(tree, "lib/a.js")).ino;
    expect(lstatSync(join(world.layout.generation(other), "x/same.js")).ino).toBe(shared);
    expect(damage.map(({ generation, path, kind }) => [generation, path, kind])).toEqual([
      [id, "lib/a.js", "content"],
      [other, "x/same.js", "content"],
    ]);
  });

  it("has no blind spot to tell of", async () => {
    expect((await world.store.verify({})).blind).toEqual([]);
  });

  it("refuses an id that the store does not have, instead of calling it whole", async () => {
    const refusal = await refusalOfAsync(() => world.store.verify({ generations: ["0".repeat(64)] }));
    expect(refusal?.code).toBe("generation_not_found");
  });

  it("reports progress up to the last file and byte", async () => {
    const seen: (readonly number[])[] = [];
    await world.store.verify({
      onProgress: ({ filesDone, filesTotal, bytesDone, bytesTotal }) =>
        void seen.push([filesDone, filesTotal, bytesDone, bytesTotal]),
    });
    const [files, filesTotal, bytes, bytesTotal] = seen.at(-1)!;
    expect([files, bytes]).toEqual([5, bytesTotal]);
    expect(filesTotal).toBe(6);
  });
});

describe("quick verification", () => {
  it.each(CASES)("sees of $name what the file system shows", async ({ damage, full, quick }) => {
    damage();
    expect(await rows(true)).toEqual(named(quick ?? full));
  });

  it("says that bytes changed in place escape it", async () => {
    expect((await world.store.verify({ quick: true })).blind).toEqual([
      "Bytes that changed in place, with size, mode and time put back; a full verify reads them.",
    ]);
  });

  it.each([
    ["is gone", () => unlinkSync(world.layout.inodeRecord(id))],
    ["is torn", () => writeFileSync(world.layout.inodeRecord(id), "torn")],
  ])("says so where the inode record %s, and calls nothing damaged for it", async (_, damage) => {
    damage();
    const { ok, blind } = await world.store.verify({ quick: true });
    expect(ok).toBe(true);
    expect(blind[1]).toContain("no inodes are on record for this place");
  });

  it("is not troubled by a content that a later generation shares", async () => {
    const source = writeTree(join(world.folder, "other"), { "same.js": "aaaa\n" });
    await world.store.stage({ source, bare: true, name: "other" });
    expect(await world.store.verify({ quick: true })).toMatchObject({ ok: true, checked: 2, damage: [] });
  });
});
