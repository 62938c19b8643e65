/** Names and links of a plan, each case by hand. */
import { describe, expect, test } from "vitest";
import { checkLinks } from "../../src/store/source/check-links.ts";
import { checkNames } from "../../src/store/source/check-names.ts";
import { nameProblem } from "../../src/store/source/entry-name.ts";
import type { PlannedEntry } from "../../src/store/source/planned-entry.ts";
import { planOf } from "../fixtures/plan-of.ts";

type Entry = Exclude<PlannedEntry, { kind: "file" }>;

const file = (path: string): Entry => ({
  kind: "bytes",
  path,
  executable: false,
  bytes: new Uint8Array(),
});
const folder = (path: string): Entry => ({ kind: "folder", path });
const link = (path: string, target: string): Entry => ({ kind: "link", path, target });

describe("checkNames", () => {
  const found = (...entries: Entry[]) =>
    checkNames(planOf(entries).tree).map(({ kind, path, detail }) => `${kind} ${path} ${detail}`);

  test("two names that differ by case are refused, both named", () => {
    expect(found(file("src/README"), file("src/readme"))).toEqual([
      "name-collision src/README and src/readme",
    ]);
  });

  test("folders that differ by case are named once, however much is in them", () => {
    const inside = ["Lib/a", "lib/a", "Lib/x/b", "lib/x/b", "lib/y/c", "Lib/z/d", "lib/z/d"];
    expect(found(...inside.map(file))).toEqual(["name-collision Lib and lib"]);
  });

  test("one name in two Unicode forms is refused, with its code points", () => {
    expect(found(file("caf\u00e9"), file("cafe\u0301"))).toEqual([
      "name-collision caf\u00e9 and cafe\u0301: U+0063 U+0061 U+0066 U+00E9 and U+0063 U+0061 U+0066 U+0065 U+0301",
    ]);
  });

  test.each([
    ["\u1e9e", "ss"],
    ["\u1e9e", "\u00df"],
    ["stra\u00dfe", "STRASSE"],
    ["\u017f", "s"],
    ["\u212a", "k"],
    ["\u03c3", "\u03c2"],
    ["\u1e9b\u0323", "\u1e69"],
    ["\u00c5ngstr\u00f6m", "\u212bngstr\u00f6m"],
  ])("%s and %s are one name to some file system", (a, b) => {
    expect(checkNames(planOf([file(a), file(b)]).tree)).toHaveLength(1);
  });

  test("the same name in two folders is fine, and so are near names", () => {
    expect(found(file("a/x"), file("b/x"), file("a/x.js"), file("A1/x"), file("a-1/x"))).toEqual([]);
  });

  test("a path of two layers, and a file with something below it, are refused", () => {
    expect(found(file("bin/node"), file("bin/node"))).toEqual(["path-collision bin/node it stands twice"]);
    expect(found(file("lib"), file("lib/a"), file("lib/b/c"))).toEqual([
      "path-collision lib it is a folder and something else at once",
    ]);
    expect(found(file("lib/a"), link("lib", "x"))).toHaveLength(1);
  });

  test("an empty folder that another layer fills is fine", () => {
    expect(found(folder("lib"), file("lib/a"))).toEqual([]);
    expect(found(file("lib/a"), folder("lib"))).toEqual([]);
  });
});

describe("checkLinks", () => {
  const found = (...entries: Entry[]) => checkLinks(entries).map(({ kind, path }) => `${kind} ${path}`);

  test.each([
    ["a", "b"],
    ["a/b/c", "../../d"],
    ["a", "."],
    ["a/b", ".."],
    ["a", "missing/deep"],
    ["a/x", "../node_modules/.bin/../pkg/cli.js"],
  ])("%s -> %s stays inside", (path, target) => {
    expect(found(link(path, target), file("node_modules/pkg/cli.js"))).toEqual([]);
  });

  test.each([
    ["a", ".."],
    ["a/b", "../.."],
    ["a", "b/../../c"],
    ["a", "q/b/../../.."],
    ["a/b/c", "../../../etc/passwd"],
    ["a", "./.././a"],
    ["a", "missing/../.."],
  ])("%s -> %s leaves", (path, target) => {
    expect(found(link(path, target))).toEqual([`leaving-link ${path}`]);
  });

  test("a link that leaves only through another link of the plan is found", () => {
    // Read as text, `deep/link/../..` is the root; followed, it is one folder above it.
    expect(found(link("deep/link", "../top"), file("top/x"), link("out", "deep/link/../../x"))).toEqual([
      "leaving-link out",
    ]);
    expect(found(link("p/q", "../a/b/c"), file("a/b/c/x"), link("in", "p/q/../../../d"))).toEqual([]);
  });

  test("a link that leaves only where case does not count is found", () => {
    expect(found(link("p/link", "../x"), file("x/y"), link("p/out", "LINK/../../z"))).toEqual([
      "leaving-link p/out",
    ]);
  });

  test("absolute links are named, and so are links through them", () => {
    expect(found(link("abs", "/etc"), link("via", "abs/passwd"))).toEqual([
      "absolute-link abs",
      "leaving-link via",
    ]);
  });

  test("loops of one, two and many links are found, and long chains are not loops", () => {
    expect(found(link("self", "self"))).toEqual(["link-loop self"]);
    expect(found(link("a", "b"), link("b", "a"))).toEqual(["link-loop a", "link-loop b"]);
    const chain = Array.from({ length: 39 }, (_, index) => link(`l${index}`, `l${index + 1}`));
    expect(found(...chain, file("l39"))).toEqual([]);
  });

  test("a target that is too long to be followed is refused without long work", () => {
    const deep = "d/".repeat(490);
    const many = Array.from({ length: 200 }, (_, index) => link(`l${index}`, `${deep}l${(index + 1) % 200}`));
    expect(found(...many)).toEqual([]);
    expect(found(link("a", "x".repeat(1001)))).toEqual(["too-deep a"]);
  });
});

describe("nameProblem", () => {
  test.each([
    "a",
    ".npmrc",
    "...",
    "a b",
    "caf\u00e9",
    "@scope",
    "x~1",
    ".gitignore",
    "git",
    "CON",
    "a:b",
    "-rf",
  ])("%j may be a name", (name) => expect(nameProblem(name)).toBeNull());

  test.each([
    ["", "not a name"],
    ["..", "not a name"],
    ["a\u0000b", "holds a control character"],
    ["a\u0085b", "holds a control character"],
    ["a\\b", "holds a backslash"],
    ["a/b", "holds a slash"],
    ["\ud800", "is not valid Unicode"],
    [".git", "is Git's own name"],
    [".GiT", "is Git's own name"],
    [".git. .", "is Git's own name"],
    [".git::$INDEX_ALLOCATION", "is Git's own name"],
    ["GIT~1", "is Git's own name"],
    ["\u200e.git", "is Git's own name"],
    ["\u00e9".repeat(128), "is longer than 255 bytes"],
  ])("%j is refused: %s", (name, problem) => {
    expect(nameProblem(name)).toBe(problem);
  });
});
