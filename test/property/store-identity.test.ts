/** Random trees: our id against git's, our two SHA-256 against each other, listings against themselves. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { buildListing, type ListingLeaf, readListing } from "../../src/store/identity/listing.ts";
import { pathIn, recordsOf } from "../../src/store/identity/listing-record.ts";
import { blobDigest } from "../../src/store/identity/object-id.ts";
import { foldListing } from "../../src/store/identity/prove-listing.ts";
import { codeOf } from "../fixtures/coded-error.ts";
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

function leavesOf(folder: Record<string, unknown>): ListingLeaf[] {
  return Object.entries(flatten(folder)).map(([path, node]): ListingLeaf => {
    if (node === null) return { kind: "folder", path };
    const isLink = typeof node === "string" && node.startsWith("-> ");
    const text = isLink ? node.slice(3) : typeof node === "string" ? node : (node.text ?? "");
    const content = Buffer.from(text);
    const [digest, size] = [blobDigest(content), content.length];
    if (isLink) return { kind: "link", path, digest, size, target: text };
    return { kind: "file", path, digest, size, executable: typeof node === "object" && node.mode === 0o755 };
  });
}

type Change = (bytes: Buffer, where: { at: number; length: number; to: number; byte: number }) => Buffer;

const spliced = (bytes: Buffer, at: number, removed: number, put: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + removed)]);

/** To the next record's beginning, so that whole records go, come and change places. */
const recordFrom = (bytes: Buffer, at: number): number => bytes.indexOf(0, at % bytes.length) + 1;

const CHANGES: readonly Change[] = [
  (bytes, { at, byte }) => spliced(bytes, at % bytes.length, 1, Buffer.from([byte])),
  (bytes, { at, length }) => spliced(bytes, at % bytes.length, length, Buffer.alloc(0)),
  (bytes, { at, byte }) => spliced(bytes, at % bytes.length, 0, Buffer.from([byte])),
  (bytes, { at }) => spliced(bytes, at % bytes.length, 1, Buffer.from("0")),
  (bytes, { at, to }) => {
    const from = recordFrom(bytes, at);
    const record = bytes.subarray(from, recordFrom(bytes, from));
    return spliced(spliced(bytes, from, record.length, Buffer.alloc(0)), recordFrom(bytes, to), 0, record);
  },
  (bytes, { at }) => {
    const from = recordFrom(bytes, at);
    return spliced(bytes, from, 0, bytes.subarray(from, recordFrom(bytes, from)));
  },
];

/** The slow way: to objects, to a tree, and to bytes again. */
function isRebuilt(bytes: Buffer): boolean {
  return (
    codeOf(() => {
      const entries = [...readListing(bytes)];
      const isNamed = entries.every(({ path }) =>
        path.split("/").every((part) => !["", ".", ".."].includes(part)),
      );
      const isProven = entries.every((entry) => {
        if (entry.kind !== "link") return true;
        const target = Buffer.from(entry.target);
        return target.length === entry.size && blobDigest(target) === entry.digest;
      });
      const files = entries.flatMap(({ kind, path }) => (kind === "folder" ? [] : [path]));
      const isOnce = new Set(files).size === files.length;
      if (!isNamed || !isProven || !isOnce || !buildListing(entries).bytes.equals(bytes))
        throw new CodedError("generation_damaged", "");
    }) === null
  );
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

  it("folds up, in one pass over its bytes, to what it was built as", () => {
    fc.assert(
      fc.property(tree, (folder) => {
        const { bytes, id } = buildListing(leavesOf(folder));
        expect(foldListing(bytes).id).toBe(id);
      }),
    );
  });

  it("changed anywhere folds up only if building it anew gives the same bytes", () => {
    let folded = 0;
    const piece = fc.record({ at: fc.nat(), length: fc.nat(150), to: fc.nat(), byte: fc.nat(255) });
    fc.assert(
      fc.property(tree, piece, fc.constantFrom(...CHANGES), (folder, where, change) => {
        const { bytes } = buildListing(leavesOf(folder));
        const changed = change(bytes, where);
        const doesFold = codeOf(() => foldListing(changed)) === null;
        if (doesFold) folded += 1;
        expect(doesFold).toBe(isRebuilt(changed));
      }),
      { numRuns: 3_000 },
    );
    // Sizes of files may be changed, and names where no digest stands above them.
    expect(folded).toBeGreaterThan(0);
  });

  it("scanned with some folders declined gives the rest of it, in the same order", () => {
    fc.assert(
      fc.property(tree, fc.func(fc.boolean()), (folder, enters) => {
        const leaves = Object.keys(flatten(folder)).map(
          (path) => ({ kind: "file", path, size: 1, executable: false, digest: "a".repeat(64) }) as const,
        );
        const { bytes } = buildListing(leaves);
        const declined: string[] = [];
        const enter = (path: string) => enters(path) || declined.push(path) === 0;
        const scanned = [...recordsOf(bytes, (record) => enter(pathIn(bytes, record)))];
        const all = [...readListing(bytes)].map(({ path }) => path);
        const isBelow = (path: string) => declined.some((folder) => path.startsWith(`${folder}/`));
        expect(scanned.map((record) => pathIn(bytes, record))).toEqual(all.filter((path) => !isBelow(path)));
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
