/** An export is the same bytes for the same id everywhere, and never a damaged tree's. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exportArchive } from "../../src/store/exchange/export-archive.ts";
import { writeExportFile } from "../../src/store/exchange/write-export-file.ts";
import { listingOf, type TreeTable, writeTree } from "../fixtures/archives/generation-tree.ts";
import { describeTree } from "../fixtures/archives/world.ts";

const SMALL: TreeTable = {
  "generation.json": { content: "{}\n" },
  "bin/run": { content: "#!/bin/sh\necho hi\n", executable: true },
  "bin/link": { target: "run" },
  empty: "folder",
  "lib/Grüße": { content: "hello\n" },
  "lib/nothing": { content: "" },
};
/** By `git mktree`, which knows empty folders. */
const SMALL_ID = "e9b6fd6c9bb9d1203de2efdac6fd5fdcdcc115b6bf5f92ee336721bfdf0428f9";
const SMALL_SHA256 = "43177a011344b8d1ee125d93dce5b21f2c4601f4de4774f670380deed30382e7";

const LONG_PART = "part-of-a-long-path-".repeat(6);
const LARGE: TreeTable = {
  ...SMALL,
  [`${LONG_PART}/${LONG_PART}/${LONG_PART}/file`]: { content: "long\n" },
  [`${"n".repeat(255)}`]: { content: "255 bytes of name\n" },
  "ファイル/長い名前": { content: Buffer.alloc(700_001, 3) },
  "far/link": { target: `../${LONG_PART}/${LONG_PART}/${LONG_PART}/file` },
  "far/umlaut": { target: "../lib/Grüße" },
  "a/b": { content: "1" },
  "a.b": { content: "2" },
  a0: { content: "3" },
};

let world: string;
let tree: string;
beforeEach(() => {
  world = fs.mkdtempSync(join(tmpdir(), "export-"));
  tree = join(world, "tree");
});
afterEach(() => fs.rmSync(world, { recursive: true, force: true }));

const ids = { hex: (bytes: number) => "ab".repeat(bytes) };

async function exported(table: TreeTable, from = tree): Promise<Buffer> {
  const { id, bytes: listing } = listingOf(table);
  const pieces: Uint8Array[] = [];
  await exportArchive({ fs, id, listing, tree: from, write: async (piece) => void pieces.push(piece) });
  return Buffer.concat(pieces);
}

function toFile(table: TreeTable, file: string, port: Parameters<typeof writeExportFile>[0]["fs"] = fs) {
  const { id, bytes: listing } = listingOf(table);
  return writeExportFile({ fs: port, ids, id, listing, tree, file });
}

function run(program: string, args: readonly string[], cwd = world): string {
  return execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8", TZ: "UTC" },
  });
}

it("a small tree has these bytes, everywhere", async () => {
  writeTree(tree, SMALL);
  const bytes = await exported(SMALL);
  expect(listingOf(SMALL).id).toBe(SMALL_ID);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(SMALL_SHA256);
});

it("another folder, other modes and other times give the same bytes", async () => {
  writeTree(tree, LARGE);
  const other = join(world, "elsewhere");
  writeTree(other, LARGE);
  fs.chmodSync(join(other, "bin/run"), 0o555);
  fs.chmodSync(join(other, "lib/nothing"), 0o400);
  fs.utimesSync(join(other, "lib/nothing"), 1, 1);
  expect((await exported(LARGE, other)).equals(await exported(LARGE))).toBe(true);
});

it("the result names the bytes and the digest of what was written", async () => {
  writeTree(tree, LARGE);
  const file = join(world, "a.tar");
  const result = await toFile(LARGE, file);
  expect(result.bytes).toBe(fs.statSync(file).size);
  expect(`${result.sha256}  a.tar\n`).toBe(run("sha256sum", ["a.tar"]));
});

it("GNU tar lists it as owned by nobody in particular, at one time, in the listing's order", async () => {
  writeTree(tree, SMALL);
  await toFile(SMALL, join(world, "a.tar"));
  const lines = run("tar", ["-tvf", "a.tar", "--numeric-owner", "--full-time"]).trimEnd().split("\n");
  expect(lines.map((line) => line.replaceAll(SMALL_ID, "<id>"))).toEqual([
    "drwxr-xr-x 0/0               0 1980-01-02 00:00:00 <id>/",
    "drwxr-xr-x 0/0               0 1980-01-02 00:00:00 <id>/bin/",
    "lrwxrwxrwx 0/0               0 1980-01-02 00:00:00 <id>/bin/link -> run",
    "-rwxr-xr-x 0/0              18 1980-01-02 00:00:00 <id>/bin/run",
    "drwxr-xr-x 0/0               0 1980-01-02 00:00:00 <id>/empty/",
    "-rw-r--r-- 0/0               3 1980-01-02 00:00:00 <id>/generation.json",
    "drwxr-xr-x 0/0               0 1980-01-02 00:00:00 <id>/lib/",
    "-rw-r--r-- 0/0               6 1980-01-02 00:00:00 <id>/lib/Grüße",
    "-rw-r--r-- 0/0               0 1980-01-02 00:00:00 <id>/lib/nothing",
  ]);
});

it("GNU tar unpacks the same tree, and Git gives it the same id", async () => {
  const { empty: _, ...table } = LARGE;
  writeTree(tree, table);
  const { id } = listingOf(table);
  await toFile(table, join(world, "a.tar"));
  run("tar", ["-xf", "a.tar"]);
  const kinds = (root: string) => describeTree(root).map((line) => line.replace(/ [0-7]+ 1 /, " "));
  expect(kinds(join(world, id))).toEqual(kinds(tree));
  const git = (...args: string[]) =>
    run("git", ["--git-dir", join(world, "git"), "--work-tree", ".", ...args], join(world, id));
  run("git", ["init", "-q", "--bare", "--object-format=sha256", "git"]);
  git("add", "-A", "-f");
  expect(git("write-tree").trim()).toBe(id);
});

it("a piece is not read before the one before it was taken, and none is large", async () => {
  writeTree(tree, { big: { content: Buffer.alloc(8_000_000, 1) } });
  const { id, bytes: listing } = listingOf({ big: { content: Buffer.alloc(8_000_000, 1) } });
  let pending = 0;
  let largest = 0;
  await exportArchive({
    fs,
    id,
    listing,
    tree,
    async write(piece) {
      pending += 1;
      expect(pending).toBe(1);
      largest = Math.max(largest, piece.byteLength);
      await new Promise(setImmediate);
      pending -= 1;
    },
  });
  expect(largest).toBeLessThanOrEqual(1024 * 1024);
});

describe("a damaged tree is no archive", () => {
  const damage: readonly (readonly [string, string, () => void])[] = [
    ["a flipped byte", "lib/Grüße", () => fs.writeFileSync(join(tree, "lib/Grüße"), "hellp\n")],
    ["a shorter file", "lib/Grüße", () => fs.writeFileSync(join(tree, "lib/Grüße"), "hell")],
    ["a longer file", "lib/nothing", () => fs.writeFileSync(join(tree, "lib/nothing"), "x")],
    ["a missing file", "bin/run", () => fs.rmSync(join(tree, "bin/run"))],
    ["a missing folder", "bin/link", () => fs.rmSync(join(tree, "bin"), { recursive: true })],
    ["a file that became a link", "bin/run", () => replaceBy("bin/run", (at) => fs.symlinkSync("link", at))],
    ["a file that became a folder", "bin/run", () => replaceBy("bin/run", (at) => fs.mkdirSync(at))],
    [
      "a link that leads elsewhere",
      "bin/link",
      () => replaceBy("bin/link", (at) => fs.symlinkSync("/etc/passwd", at)),
    ],
    [
      "a link that became a file",
      "bin/link",
      () => replaceBy("bin/link", (at) => fs.writeFileSync(at, "run")),
    ],
  ];
  const replaceBy = (path: string, make: (at: string) => void): void => {
    fs.rmSync(join(tree, path));
    make(join(tree, path));
  };

  it.each(damage.map(([name, path, act]) => ({ name, path, act })))("$name", async ({ path, act }) => {
    writeTree(tree, SMALL);
    const file = join(world, "a.tar");
    fs.writeFileSync(file, "what stood there before");
    act();
    await expect(toFile(SMALL, file)).rejects.toMatchObject({
      code: "generation_damaged",
      fields: { generation: SMALL_ID, path },
    });
    expect(fs.readdirSync(world).sort()).toEqual(["a.tar", "tree"]);
    expect(fs.readFileSync(file, "utf8")).toBe("what stood there before");
  });

  it("another generation's listing", async () => {
    writeTree(tree, SMALL);
    const { bytes: listing } = listingOf({ other: { content: "" } });
    const act = exportArchive({ fs, id: SMALL_ID, listing, tree, write: async () => {} });
    await expect(act).rejects.toMatchObject({ code: "generation_damaged" });
  });
});

it("a full disk leaves no temporary file and the old archive", async () => {
  writeTree(tree, LARGE);
  const file = join(world, "a.tar");
  fs.writeFileSync(file, "old");
  let writes = 0;
  const full: typeof fs.writeSync = ((...args: Parameters<typeof fs.writeSync>) => {
    writes += 1;
    if (writes > 1) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    return fs.writeSync(...args);
  }) as typeof fs.writeSync;
  await expect(toFile(LARGE, file, { ...fs, writeSync: full })).rejects.toMatchObject({ code: "ENOSPC" });
  expect(fs.readdirSync(world).sort()).toEqual(["a.tar", "tree"]);
  expect(fs.readFileSync(file, "utf8")).toBe("old");
});
