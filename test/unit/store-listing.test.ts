import { describe, expect, it } from "vitest";
import {
  buildListing,
  type ListingLeaf,
  readListing,
  verifiedEntries,
} from "../../src/store/identity/listing.ts";
import { pathIn, recordsOf } from "../../src/store/identity/listing-record.ts";
import { blobDigest } from "../../src/store/identity/object-id.ts";
import { codeOf } from "../fixtures/coded-error.ts";

function file(path: string, text: string, executable = false): ListingLeaf {
  const bytes = Buffer.from(text);
  return { kind: "file", path, size: bytes.length, executable, digest: blobDigest(bytes) };
}

function link(path: string, target: string): ListingLeaf {
  const bytes = Buffer.from(target);
  return { kind: "link", path, target, size: bytes.length, digest: blobDigest(bytes) };
}

const LEAVES: readonly ListingLeaf[] = [
  file("lib/b.js", "b"),
  file("bin/run", "#!/bin/sh\n", true),
  link("lib/a", "b.js"),
  { kind: "folder", path: "empty/inner" },
  file("lib.txt", ""),
];

const ID = "f74ad3f14f26c2e8d951eb7868045cbd2e436c7bed0fdda6272cc247bd832b4c";

// Digests by git hash-object and git mktree; the counts are the lengths of the records below.
const TEXT = [
  "swarm-gen listing 1\n",
  "040000 ae9ddf68cb5a3e9c8968bf320f4d3ec644ffe8b010b09af921dc636077837f58 83\tbin\0",
  "100755 1249034e3cf9007362d695b09b1fbdb4c578903bf10b665749b94743f8177ce1 10\tbin/run\0",
  "040000 2e2aa1dd4e32d0fc8201f0e63e5482650894052df959e0e256826b0c2eabf50a 86\tempty\0",
  "040000 6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321 0\tempty/inner\0",
  "100644 473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813 0\tlib.txt\0",
  "040000 29634ceca47ac0276f2e73d8921cd58cb0ca3eab3b9dbc90001e3485e888b48c 168\tlib\0",
  "120000 2c2e1b6e7ca4a7daf497bcb05f42ccbe38296b4178bbc98b71d97f085d51e80f 4\tlib/a\0b.js\0",
  "100644 a0bcd9a45d24c6a0e3748aa53f02e3a2c4cea32e0392feeb304a71a08a193e9b 1\tlib/b.js\0",
].join("");

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

function digitsOf({ indices }: RegExpExecArray): number[] {
  const [from, to] = indices![1]!;
  return Array.from({ length: to - from }, (_, index) => from + index);
}

describe("a listing", () => {
  it("is these bytes for this tree, and folds up to the id that git mktree gives", () => {
    const { id, bytes, files, sizeBytes } = buildListing(LEAVES);
    expect(id).toBe(ID);
    expect(bytes.toString("utf8")).toBe(TEXT);
    expect({ files, sizeBytes }).toEqual({ files: 4, sizeBytes: 11 });
  });

  it("does not depend on the order of what it is made from", () => {
    expect(buildListing([...LEAVES].reverse()).bytes.toString("utf8")).toBe(TEXT);
  });

  it("read and folded again is the same bytes", () => {
    const entries = [...readListing(Buffer.from(TEXT))];
    expect(buildListing(entries).bytes.toString("utf8")).toBe(TEXT);
    expect(entries.map(({ path }) => path)).toEqual([
      "bin",
      "bin/run",
      "empty",
      "empty/inner",
      "lib.txt",
      "lib",
      "lib/a",
      "lib/b.js",
    ]);
  });

  it("proves itself only for the id that it folds up to", () => {
    expect(verifiedEntries(Buffer.from(TEXT), ID).length).toBe(8);
    expect(codeOf(() => verifiedEntries(Buffer.from(TEXT), "0".repeat(64)))).toBe("generation_damaged");
  });

  // A file's size stands in no digest of the listing; its content's digest covers it, so a wrong
  // one is found where contents are read (integration/store-verify.test.ts).
  it("betrays every single flipped bit, but in the size of a file", () => {
    const bytes = Buffer.from(TEXT);
    const sizes = new Set([...TEXT.matchAll(/100[67]\d\d [0-9a-f]{64} (\d+)\t/dg)].flatMap(digitsOf));
    const unnoticed: string[] = [];
    for (let at = 0; at < bytes.length; at += 1) {
      for (let bit = 1; bit < 256; bit *= 2) {
        if (sizes.has(at) && isDigit(bytes[at]! ^ bit)) continue;
        const tampered = Buffer.from(bytes);
        tampered[at]! ^= bit;
        if (codeOf(() => verifiedEntries(tampered, ID)) !== "generation_damaged")
          unnoticed.push(`${at}/${bit}`);
      }
    }
    expect(unnoticed).toEqual([]);
  });

  it("betrays every byte that is missing or doubled, but in the size of a file", () => {
    const bytes = Buffer.from(TEXT);
    const sizes = new Set([...TEXT.matchAll(/100[67]\d\d [0-9a-f]{64} (\d+)\t/dg)].flatMap(digitsOf));
    const unnoticed: number[] = [];
    for (let at = 0; at < bytes.length; at += 1) {
      const shorter = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
      const longer = Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]);
      for (const tampered of sizes.has(at) ? [] : [shorter, longer, bytes.subarray(0, at)]) {
        if (codeOf(() => verifiedEntries(tampered, ID)) !== "generation_damaged") unnoticed.push(at);
      }
    }
    expect(unnoticed).toEqual([]);
  });
});

describe("a scan that declines folders", () => {
  const listing = Buffer.from(TEXT);
  const pathsWhere = (enter: Parameters<typeof recordsOf>[1]) =>
    [...recordsOf(listing, enter)].map((record) => pathIn(listing, record));

  it("passes over exactly what lies below them", () => {
    const seen = pathsWhere((record) => pathIn(listing, record) === "lib");
    expect(seen).toEqual(["bin", "empty", "lib.txt", "lib", "lib/a", "lib/b.js"]);
  });

  it("sees only the top when it enters nothing", () => {
    const seen = pathsWhere(() => false);
    expect(seen).toEqual(["bin", "empty", "lib.txt", "lib"]);
  });
});
