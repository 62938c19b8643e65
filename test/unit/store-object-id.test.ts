import { createHash } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { buildListing, type ListingLeaf } from "../../src/store/identity/listing.ts";
import { blobDigest, blobHasher, compareUtf8, EMPTY_TREE } from "../../src/store/identity/object-id.ts";

const EMPTY_BLOB = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
const HELLO = "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4";

describe("a blob's digest", () => {
  it("is what git hash-object gives in a SHA-256 repository", () => {
    expect(blobDigest(new Uint8Array(0))).toBe(EMPTY_BLOB);
    expect(blobDigest(Buffer.from("hello\n"))).toBe(HELLO);
  });

  it("is the same when the content comes in pieces, one of them empty", () => {
    const hasher = blobHasher(6);
    for (const piece of ["he", "", "llo", "\n"]) hasher.update(Buffer.from(piece));
    expect(hasher.digest()).toBe(HELLO);
  });
});

describe("a tree's digest", () => {
  const file = (path: string, digest: string, executable = false): ListingLeaf => ({
    kind: "file",
    path,
    digest,
    size: 0,
    executable,
  });

  it("is git's for a folder that holds nothing", () => {
    expect(buildListing([]).id).toBe("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321");
    expect(EMPTY_TREE).toBe("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321");
  });

  it("is git's for one entry of each mode, whatever their order", () => {
    const leaves: ListingLeaf[] = [
      { kind: "folder", path: "b" },
      { kind: "link", path: "a", digest: HELLO, size: 6, target: "hello\n" },
      file("b.c", EMPTY_BLOB, true),
      file("b0", HELLO),
    ];
    const id = "8cdf2be435b2f2de1327e82ad221f25e1e522d7f26e6feb071e6538fccb1f7fa";
    expect([buildListing(leaves).id, buildListing(leaves.toReversed()).id]).toEqual([id, id]);
  });

  it("sorts names as bytes, not as UTF-16: an emoji comes after a private-use character", () => {
    const leaves = ["\u{1f600}", "\ue000", "\uffee", "\ud7ff", "z"].map((name) => file(name, EMPTY_BLOB));
    expect(buildListing(leaves).id).toBe("6447a864d1a5693bc9f4c5c801314bb19da9b116b5fbdaecbfe7f0028606c5fe");
  });
});

describe("the order of names", () => {
  it("is that of their UTF-8 bytes", () => {
    const names = ["\u{1f600}", "\ue000", "\uffee", "\ud7ff", "é", "z", "a.b", "a-b", "a", "a/", "a0", ""];
    const sorted = ["", "a", "a-b", "a.b", "a/", "a0", "z", "é", "\ud7ff", "\ue000", "\uffee", "\u{1f600}"];
    expect(names.sort(compareUtf8)).toEqual(sorted);
  });

  it("takes equal names for equal", () => {
    expect([compareUtf8("a", "a"), compareUtf8("\u{1f600}", "\u{1f600}")]).toEqual([0, 0]);
  });
});

describe("the two implementations of SHA-256", () => {
  // The published vectors of FIPS 180-4.
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
  ])("both give the published digest of %j", (text, digest) => {
    const bytes = Buffer.from(text);
    expect(bytesToHex(sha256(bytes))).toBe(digest);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest);
  });
});
