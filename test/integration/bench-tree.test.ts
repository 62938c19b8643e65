/** The tree that benchmarks are run on: what would make the comparison unfair is not in it. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { changeableFiles, changeFiles, countTree, makeTree } from "../../scripts/bench/make-tree.ts";
import { writeTree } from "../fixtures/store-world.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "bench-tree-")));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function makeOf(files: number, large = ""): string {
  const from = writeTree(join(folder, "from"), {
    "a/one.js": "one\n",
    "b/two.js": { text: "two\n", mode: 0o555 },
    "b/empty": "",
    ".bin/two": "-> ../b/two.js",
    ".bin/out": "-> ../../copy-0/a/one.js",
    ...(large === "" ? {} : { "c/large": large }),
  });
  const to = join(folder, "to");
  makeTree({ from, to, files, largeFiles: large !== "" });
  return to;
}

const sha256 = (tree: string) =>
  execFileSync("sh", ["-c", 'find "$0" -type f -size +0 -exec sha256sum {} + | cut -c1-64', tree], {
    encoding: "utf8",
  })
    .trim()
    .split("\n");

it("copies share no content with each other", () => {
  const tree = makeOf(9);
  const sums = sha256(tree);
  expect(sums).toHaveLength(6);
  expect(new Set(sums).size).toBe(6);
});

it("has exactly the files that were asked for, with links, and executables that can be written to", () => {
  const tree = makeOf(8);
  expect(countTree(tree)).toMatchObject({ files: 8, links: 3, executables: 2 });
  expect(readlinkSync(join(tree, "copy-1/.bin/two"))).toBe("../b/two.js");
  expect(statSync(join(tree, "copy-1/b/two.js")).mode & 0o777).toBe(0o755);
});

it("has no link that leads out of its copy or to nothing", () => {
  const tree = makeOf(8);
  const inFirst = `${join(tree, "copy-0/.bin/out")}\n`;
  expect(spawnSync("find", [tree, "-name", "out"], { encoding: "utf8" }).stdout).toBe(inFirst);
  expect(spawnSync("find", ["-L", tree, "-type", "l"], { encoding: "utf8" }).stdout).toBe("");
});

it("takes a large file once", () => {
  const tree = makeOf(9, "x".repeat(9 * 1024 * 1024));
  expect(spawnSync("find", [tree, "-size", "+8M"], { encoding: "utf8" }).stdout).toBe(
    `${join(tree, "copy-0/c/large")}\n`,
  );
  expect(countTree(tree).files).toBe(9);
});

it("changes three files, and no other", () => {
  const tree = makeOf(9);
  const before = sha256(tree);
  const files = changeableFiles(tree);
  changeFiles(files, "changed");
  expect(files).toHaveLength(3);
  expect(sha256(tree).filter((sum) => !before.includes(sum))).toHaveLength(3);
  expect(readFileSync(files[0] as string, "utf8")).toMatch(/\nchanged\n$/);
});
