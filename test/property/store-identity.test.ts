/** Random trees: our id against git's, our two SHA-256 against each other, listings against themselves. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildListing, readListing, scanListing } from "../../src/store/identity/listing.ts";
import { gitMktreeId } from "../fixtures/git-referee.ts";
import { createStoreWorld, type TreeSpec, writeTree } from "../fixtures/store-world.ts";

// Characters around which UTF-8 and UTF-16 sort differently, and those that sort beside "/".
const NAME_UNITS = [
  "a",
  "b",
  "-",
  ".",
  "0",
  "~",
  "é",
  "\ud7ff",
  "\ue000",
  "\uffee",
  "\u{10000}",
  "\u{1f600}",
];
const name = fc
  .array(fc.constantFrom(...NAME_UNITS), { minLength: 1, maxLength: 4 })
  .map((units) => units.join(""))
  .filter((text) => text !== "." && text !== "..");

/** A folder by its names; no two of one folder fold together, since none has capitals or two forms. */
const tree = fc.letrec<{ node: unknown; folder: Record<string, unknown> }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ text: fc.string({ maxLength: 40 }), mode: fc.constantFrom(0o644, 0o755) }),
    fc.constantFrom("-> nowhere", "-> ."),
    tie("folder"),
  ),
  folder: fc.dictionary(name, tie("node"), { maxKeys: 5 }),
})).folder;

function flatten(folder: Record<string, unknown>, prefix = ""): TreeSpec {
  const entries = Object.entries(folder).map(([own, node]): TreeSpec => {
    const path = `${prefix}${own}`;
    if (typeof node === "string") return { [path]: node };
    if (isFile(node)) return { [path]: node };
    const below = flatten(node as Record<string, unknown>, `${path}/`);
    return Object.keys(below).length === 0 ? { [path]: null } : below;
  });
  return Object.assign({}, ...entries);
}

const isFile = (node: unknown): node is { text: string; mode: number } =>
  typeof (node as { mode?: unknown }).mode === "number";

describe("a random tree", () => {
  it("has the id that git mktree gives", { timeout: 240_000 }, async () => {
    const world = createStoreWorld();
    try {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(tree, async (folder) => {
          count += 1;
          const source = writeTree(join(world.folder, `source-${count}`), { keep: "", ...flatten(folder) });
          const { generation } = await world.store.stage({ source, bare: true, name: "random" });
          expect(gitMktreeId(world.store.show(generation).path)).toBe(generation);
        }),
        { numRuns: 60 },
      );
      expect(await world.store.verify({})).toMatchObject({ ok: true, damage: [] });
    } finally {
      world.remove();
    }
  });

  it("has a listing that reads back to what it was made from", () => {
    fc.assert(
      fc.property(tree, (folder) => {
        const leaves = Object.entries(flatten(folder)).map(([path, node]) =>
          node === null
            ? ({ kind: "folder", path } as const)
            : ({ kind: "file", path, size: 1, executable: false, digest: "a".repeat(64) } as const),
        );
        const { bytes, id } = buildListing(leaves);
        const entries = [...readListing(bytes)];
        expect(buildListing(entries)).toMatchObject({ id, bytes });
        const read = entries.filter(({ kind }) => kind === "file").map(({ path }) => path);
        expect(read.sort()).toEqual(
          leaves
            .filter(({ kind }) => kind === "file")
            .map(({ path }) => path)
            .sort(),
        );
      }),
    );
  });

  it("scanned with some folders declined gives the rest of it, in the same order", () => {
    fc.assert(
      fc.property(tree, fc.func(fc.boolean()), (folder, enters) => {
        const leaves = Object.keys(flatten(folder)).map(
          (path) => ({ kind: "file", path, size: 1, executable: false, digest: "a".repeat(64) }) as const,
        );
        const { bytes } = buildListing(leaves);
        const declined: string[] = [];
        const scanned = [...scanListing(bytes, ({ path }) => enters(path) || declined.push(path) === 0)];
        const all = [...readListing(bytes)];
        const expected = all.filter(({ path }) => !declined.some((folder) => path.startsWith(`${folder}/`)));
        expect(scanned).toEqual(expected);
      }),
    );
  });
});

describe("the two implementations of SHA-256", () => {
  it("agree on every content, around block borders too", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
        expect(bytesToHex(sha256(content))).toBe(createHash("sha256").update(content).digest("hex"));
      }),
      { numRuns: 1_000 },
    );
    for (let size = 0; size < 200; size += 1) {
      const content = Buffer.alloc(size, size);
      expect(bytesToHex(sha256(content))).toBe(createHash("sha256").update(content).digest("hex"));
    }
  });
});
