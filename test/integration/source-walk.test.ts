/** The walk against folders that hold everything a file system can. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNodeFileSystem } from "../../src/store/node-file-system.ts";
import { walkedFolders } from "../../src/store/source/plan.ts";
import type { PlannedEntry } from "../../src/store/source/planned-entry.ts";
import { SOURCE_BOUNDS } from "../../src/store/source/source-bounds.ts";
import { statKeyAt } from "../../src/store/source/stat-keys.ts";
import { type WalkRequest, walkFolder } from "../../src/store/source/walk.ts";
import { writeTree } from "../fixtures/source-world.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "swarm-gen-walk-"));
});
afterEach(() => {
  spawnSync("chmod", ["-R", "u+rwx", root]);
  rmSync(root, { recursive: true, force: true });
});

const walk = (more: Partial<WalkRequest> = {}) => {
  const { plan, findings } = walkFolder({ fs: createNodeFileSystem(), root, ...more });
  return { plan, findings, entries: [...plan], folders: [...walkedFolders(plan)] };
};
const shape = (entries: readonly PlannedEntry[]) => entries.map(({ kind, path }) => `${kind} ${path}`).sort();
const kinds = (more: Partial<WalkRequest> = {}) =>
  walk(more)
    .findings.map(({ kind, path }) => `${kind} ${path}`)
    .sort();
const isRoot = process.getuid?.() === 0;

describe("what a walk takes", () => {
  test("files, links and empty folders are entries, and each folder read is told", () => {
    writeTree(root, {
      "a/b/file": "12345",
      "a/link": { link: "b/file" },
      empty: null,
      run: { executable: "#!" },
    });
    const { entries, folders, findings } = walk();
    expect(findings).toEqual([]);
    expect(shape(entries)).toEqual(["file a/b/file", "file run", "folder empty", "link a/link"]);
    expect(folders.map((folder) => folder.slice(root.length)).sort()).toEqual(["", "/a", "/a/b", "/empty"]);
    expect(entries.find(({ path }) => path === "a/b/file")).toMatchObject({ size: 5, executable: false });
    expect(entries.find(({ path }) => path === "a/link")).toMatchObject({ target: "b/file" });
  });

  test.each([
    [0o700, true],
    [0o744, true],
    [0o655, false],
    [0o611, false],
  ])("mode %o is executable: %s, by the owner's bit alone", (mode, executable) => {
    writeFileSync(join(root, "file"), "");
    chmodSync(join(root, "file"), mode);
    expect(walk().entries).toMatchObject([{ path: "file", executable }]);
  });

  test("a link to a folder is a link, and what stands behind it is not read", () => {
    const outside = mkdtempSync(join(tmpdir(), "swarm-gen-outside-"));
    writeFileSync(join(outside, "secret"), "");
    symlinkSync(outside, join(root, "link"));
    expect(shape(walk().entries)).toEqual(["link link"]);
    rmSync(outside, { recursive: true });
  });

  test("the root's own .git is left out, and a nested one is refused", () => {
    writeTree(root, { ".git/HEAD": "", "vendor/.GIT/HEAD": "", "vendor/.gitignore": "" });
    const { entries, findings } = walk();
    expect(shape(entries)).toEqual(["file vendor/.gitignore"]);
    expect(findings.map(({ kind, path }) => [kind, path])).toEqual([["name-not-portable", "vendor/.GIT"]]);
  });

  test("a folder that a selection empties is not kept, one that was empty is", () => {
    writeTree(root, { "docs/a.md": "", "dist/empty": null, "dist/a.js": "" });
    const selection = { descends: () => true, takes: (path: string) => !path.endsWith(".md") };
    expect(shape(walk({ selection }).entries)).toEqual(["file dist/a.js", "folder dist/empty"]);
  });

  test("the stat key of a file changes with a write that restores its times", () => {
    const file = join(root, "file");
    writeFileSync(file, "one");
    const keyOf = ({ plan }: ReturnType<typeof walk>) => {
      // No folder but the root stands before it.
      const row = 1 + [...plan].findIndex(({ path }) => path === "file");
      return statKeyAt(plan.statKeys, row);
    };
    const before = keyOf(walk());
    const reference = join(root, "reference");
    spawnSync("touch", ["-r", file, reference]);
    writeFileSync(file, "two");
    spawnSync("touch", ["-r", reference, file]);
    expect(keyOf(walk())).not.toBe(before);
  });
});

describe("what a walk refuses, all at once", () => {
  test("a fifo and a socket", async () => {
    spawnSync("mkfifo", [join(root, "fifo")]);
    const server = createServer().listen(join(root, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(kinds()).toEqual(["fifo fifo", "socket socket"]);
    await new Promise((resolve) => server.close(resolve));
  });

  test("a device", (context) => {
    const made = spawnSync("mknod", [join(root, "null"), "c", "1", "3"]);
    if (made.status !== 0) context.skip("device files can only be made by root");
    expect(kinds()).toEqual(["device null"]);
  });

  test.each([0o4755, 0o2755, 0o6644])("set-id bits: %o", (mode) => {
    writeFileSync(join(root, "file"), "");
    chmodSync(join(root, "file"), mode);
    expect(kinds()).toEqual(["set-id file"]);
  });

  test("a folder that hands its group on is no set-id program", () => {
    mkdirSync(join(root, "shared"));
    chmodSync(join(root, "shared"), 0o2755);
    expect(kinds()).toEqual([]);
  });

  test("names and targets that are no UTF-8, escaped", (context) => {
    if (process.platform !== "linux") context.skip("this file system takes no such names");
    const name = Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(name, "");
    symlinkSync(Buffer.from([0xc3, 0x28]), join(root, "link"));
    writeFileSync(join(root, "real\ufffd"), "");
    const { findings, entries } = walk();
    expect(findings.map(({ kind, path, detail }) => [kind, path, detail]).sort()).toEqual([
      ["name-not-utf8", "a\\xff\\xfe", ""],
      ["name-not-utf8", "link", "its target is \\xc3("],
    ]);
    expect(shape(entries)).toEqual(["file real\ufffd"]);
  });

  test("control characters, backslashes and forms of .git", () => {
    for (const name of ["new\nline", "back\\slash", "esc\u001b[31m", "git~1", "sub"])
      mkdirSync(join(root, name));
    for (const name of [".git ", ".g\u200cit", ".git..."]) writeFileSync(join(root, "sub", name), "");
    expect(kinds()).toEqual([
      "name-not-portable back\\slash",
      "name-not-portable esc\\x1b[31m",
      "name-not-portable new\\x0aline",
      "name-not-portable sub/.git ",
      "name-not-portable sub/.git...",
      "name-not-portable sub/.g\u200cit",
    ]);
  });

  test("bounds on entries, depth, path length and bytes", () => {
    writeTree(root, { "a/b/c/d": "", one: "1234", two: "5678" });
    const bounds = (some: Partial<typeof SOURCE_BOUNDS>) => ({ bounds: { ...SOURCE_BOUNDS, ...some } });
    expect(kinds(bounds({ depth: 2 }))).toEqual(["too-deep a/b/c"]);
    expect(kinds(bounds({ pathBytes: 5 }))).toEqual(["too-deep a/b/c/d"]);
    expect(kinds(bounds({ sizeBytes: 7 }))).toEqual(["too-large two"]);
    expect(kinds(bounds({ entries: 4 }))).toHaveLength(1);
    expect(kinds(bounds({ entries: 4 }))[0]).toMatch(/^too-many-entries /);
    expect(kinds(bounds({ entries: 6, depth: 3, pathBytes: 7, sizeBytes: 8 }))).toEqual([]);
  });

  test("unreadable files and folders, for a user that modes stop", () => {
    writeTree(root, { "closed/file": "", secret: "", open: "" });
    chmodSync(join(root, "secret"), 0o000);
    chmodSync(join(root, "closed"), 0o000);
    chmodSync(root, 0o755);
    expect(kindsAsNobody()).toEqual(["unreadable closed", "unreadable secret"]);
  });
});

/** Root is stopped by no mode, so the walk then runs in a child that has given its rights up. */
function kindsAsNobody(): string[] {
  if (!isRoot) return kinds();
  const walkModule = new URL("../../src/store/source/walk.ts", import.meta.url).href;
  const script = `
    const { walkFolder } = await import(${JSON.stringify(walkModule)});
    const fs = await import("node:fs");
    process.setgid(65534); process.setuid(65534);
    const { findings } = walkFolder({ fs, root: ${JSON.stringify(root)} });
    console.log(JSON.stringify(findings.map(({ kind, path }) => kind + " " + path).sort()));`;
  for (const path of ["secret", "closed"]) chownSync(join(root, path), 65534, 65534);
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}
