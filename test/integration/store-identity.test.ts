/**
 * The identity of a real tree, with Git and Nix as referees: the id is what `git` gives for a
 * SHA-256 repository, the NAR hash what `nix hash path` gives (STORE-1).
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StageResult } from "../../src/store/store.ts";
import { gitMktreeId, gitTreeId } from "../fixtures/git-referee.ts";
import { nixHashPath, requireNix } from "../fixtures/nix-referee.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

const CHECKOUT = realpathSync(new URL("../..", import.meta.url).pathname);
const LARGEST_BYTES = 100 * 1024;

/** Files that would change Git's answer if its own rules for work trees applied. */
const TRAPS = {
  ".gitattributes": "* text=auto eol=crlf ident\n*.bin filter=lfs working-tree-encoding=UTF-16\n",
  ".gitignore": "*\n!.gitignore\n",
  ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ./x\n',
  "traps/.gitattributes": "crlf.txt eol=lf\n",
  "traps/crlf.txt": "one\r\ntwo\r\n",
  "traps/lf.txt": "one\ntwo\n",
  "traps/ident.txt": "$Id$\n",
  "traps/ignored.log": "not ignored\n",
  "traps/wide.bin": "\ufeffwide",
};

/** Names whose order, form or length a careless implementation gets wrong. */
const NAMES = {
  "names/grüße.txt": "latin",
  "names/日本語/説明.md": "kanji",
  "names/\ufb01.txt": "a ligature, above the surrogates in UTF-16 and below them in UTF-8",
  "names/\u{1f600}.txt": "an emoji, a surrogate pair in UTF-16",
  "names/\ue000": "private use",
  "names/\uffee": "half width",
  "names/a": "a file beside a.b, a-b and the folder a0",
  "names/a.b": "",
  "names/a-b": "",
  "names/a0/x": "",
  "names/ab": "",
  "names/ space": "leading space",
  "names/space ": "trailing space",
  "names/quote'\"$`": "quotes",
  "names/-rf": "an option",
  "names/#": "",
  [`names/${"n".repeat(255)}`]: "the longest name",
};

const folderPrefix = (count: number) => Array.from({ length: count }, (_, level) => `d${level}`).join("/");

let world: StoreWorld;
let source: string;
let staged: StageResult;

beforeAll(async () => {
  world = createStoreWorld();
  source = join(world.folder, "source");
  makeRealTree(source);
  staged = await world.store.stage({ source, bare: true, name: "real" });
}, 240_000);

afterAll(() => world.remove());

describe("the id of a real tree of 20,000 files", () => {
  it("holds what the test is about: links, executables, traps", async () => {
    const files = await world.store.files(staged.generation);
    expect(files.length).toBeGreaterThanOrEqual(20_000);
    expect(files.filter(({ mode }) => mode === "120000").length).toBeGreaterThanOrEqual(50);
    expect(files.filter(({ mode }) => mode === "100755").length).toBeGreaterThanOrEqual(50);
    expect(files.filter(({ size, mode }) => size === 0 && mode === "100644").length).toBeGreaterThan(10);
    expect(files.map(({ path }) => path)).toContain("traps/crlf.txt");
  });

  it("is what git write-tree gives for the published tree", () => {
    expect(gitTreeId(world.store.show(staged.generation).path)).toBe(staged.generation);
  });

  it("is what git mktree gives for the published tree", () => {
    expect(gitMktreeId(world.store.show(staged.generation).path)).toBe(staged.generation);
  });

  it("has the NAR hash that nix hash path gives", async (context) => {
    requireNix(context);
    const { path } = world.store.show(staged.generation);
    expect(await world.store.narHash(staged.generation)).toBe(nixHashPath(path));
    expect(world.store.show(staged.generation).narHash).toBe(nixHashPath(path));
  });

  it("counts files and bytes as find does", () => {
    const { path, files, bytes } = world.store.show(staged.generation);
    const found = spawnSync("find", [path, "-type", "f", "-printf", "%s\n"], {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    const sizes = found.stdout.trim().split("\n").map(Number);
    const links = spawnSync("find", [path, "-type", "l", "-printf", "x"], { encoding: "utf8" }).stdout.length;
    expect(files).toBe(sizes.length + links);
    expect(bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
  });

  it("is the same from another path, another file system and another order of creation", async () => {
    const elsewhere = existsSync("/dev/shm") ? "/dev/shm" : world.folder;
    const other = createStoreWorld({}, elsewhere);
    try {
      const copy = join(other.folder, "a", "much", "longer", "path");
      mkdirSync(dirname(copy), { recursive: true });
      copyBackwards(source, copy);
      const again = await other.store.stage({ source: copy, bare: true, name: "real" });
      expect(again).toMatchObject({ generation: staged.generation, new: true });
      const verified = await other.store.verify({});
      expect(verified).toMatchObject({ ok: true, checked: 1, damage: [] });
    } finally {
      other.remove();
    }
  });

  it("is found again by a second stage of the same folder, which reuses everything", async () => {
    const again = await world.store.stage({ source, bare: true, name: "real" });
    expect(again).toMatchObject({
      generation: staged.generation,
      new: false,
      files: staged.files,
      bytes: staged.bytes,
      reused: { files: staged.files, bytes: staged.bytes },
    });
  });

  it("verifies in full, and its sums satisfy sha256sum", async () => {
    expect(await world.store.verify({})).toMatchObject({ ok: true, checked: 1, damage: [], blind: [] });
    const { path } = world.store.show(staged.generation);
    const sums = await world.store.sums(staged.generation);
    const input = sums.map((sum) => `${sum.sha256}  ./${sum.path}\n`).join("");
    const checked = spawnSync("sha256sum", ["-c", "--strict", "--quiet"], {
      cwd: path,
      input,
      encoding: "utf8",
    });
    expect(checked).toMatchObject({ status: 0, stdout: "" });
    expect(sums.length).toBe(
      staged.files - (await world.store.files(staged.generation)).filter(isLink).length,
    );
  });
});

describe("a tree with empty folders", () => {
  it("has the id that git mktree gives, which git write-tree cannot", async (context) => {
    const own = createStoreWorld();
    try {
      const tree = writeTree(join(own.folder, "source"), {
        "a/empty": null,
        "a/file": "x",
        "b/c/d/e": null,
        empty: null,
        "empty-file": "",
        "empty.": "sorts between",
        link: "-> a/empty",
      });
      const { generation } = await own.store.stage({ source: tree, bare: true, name: "hollow" });
      const { path } = own.store.show(generation);
      expect(gitMktreeId(path)).toBe(generation);
      expect(gitTreeId(path)).not.toBe(generation);
      requireNix(context);
      expect(await own.store.narHash(generation)).toBe(nixHashPath(path));
    } finally {
      own.remove();
    }
  });
});

describe("the same tree, staged by others", () => {
  const TREE = {
    "bin/run": { text: "#!/bin/sh\nexit 0\n", mode: 0o755 },
    "lib/a.js": "export const a = 1;\n",
    "lib/ünï": "x",
    empty: null,
    link: "-> lib/a.js",
  };

  // Worked out by hand with git hash-object and git mktree.
  const PINNED = "bde73ce30f634591ac6dfa7e9429220466935703a7b4a1ebec1c25484f710927";

  it("has the id that is pinned here", async () => {
    const own = createStoreWorld();
    try {
      const tree = writeTree(join(own.folder, "source"), TREE);
      const { generation } = await own.store.stage({ source: tree, bare: true, name: "small" });
      expect(generation).toBe(PINNED);
    } finally {
      own.remove();
    }
  });

  it.each([
    ["umask 000 and Kiritimati", { umask: "000", TZ: "Pacific/Kiritimati", LANG: "C" }],
    ["umask 077 and Pago Pago", { umask: "077", TZ: "Pacific/Pago_Pago", LANG: "tr_TR.UTF-8" }],
  ])("has the same id and the same modes under %s", (_, { umask, TZ, LANG }) => {
    const own = createStoreWorld();
    try {
      const tree = writeTree(join(own.folder, "source"), TREE);
      const program = new URL("../fixtures/stage-once.ts", import.meta.url).pathname;
      const script = 'umask "$1"; exec "$2" "$3" "$4" "$5" small';
      const argv = ["-c", script, "sh", umask, process.execPath, program, join(own.folder, "store"), tree];
      const ran = spawnSync("/bin/sh", argv, { encoding: "utf8", env: { PATH: process.env.PATH, TZ, LANG } });
      expect(ran).toMatchObject({ status: 0, stdout: `${PINNED}\n` });
      expect(modesOf(join(own.folder, "store", "generations", PINNED))).toEqual(PUBLISHED_MODES);
    } finally {
      own.remove();
    }
  });

  it("has the same id when another user stages it", (context) => {
    if (process.getuid?.() !== 0) context.skip("only root can become another user");
    const own = createStoreWorld();
    try {
      chmodSync(own.folder, 0o777);
      const tree = writeTree(join(own.folder, "source"), TREE);
      const program = new URL("../fixtures/stage-once.ts", import.meta.url).pathname;
      const root = join(own.folder, "store");
      const become = ["--reuid", "12345", "--regid", "12345", "--clear-groups"];
      const argv = [...become, process.execPath, program, root, tree, "small"];
      const ran = spawnSync("setpriv", argv, { encoding: "utf8", env: { PATH: process.env.PATH } });
      expect(ran).toMatchObject({ status: 0, stdout: `${PINNED}\n` });
      expect(lstatSync(join(root, "generations", PINNED)).uid).toBe(12345);
    } finally {
      own.remove();
    }
  });

  it("tells two modes, two names and two link targets apart", async () => {
    const own = createStoreWorld();
    try {
      const variants = [
        TREE,
        { ...TREE, "lib/a.js": { text: "export const a = 1;\n", mode: 0o755 } },
        { ...TREE, link: "-> lib/ünï" },
        { ...TREE, "lib/b.js": "" },
        { ...TREE, empty: "" },
      ];
      const ids: string[] = [];
      for (const [index, variant] of variants.entries()) {
        const tree = writeTree(join(own.folder, `source-${index}`), variant);
        ids.push((await own.store.stage({ source: tree, bare: true, name: "small" })).generation);
      }
      expect(new Set(ids).size).toBe(5);
      expect(ids[0]).toBe(PINNED);
    } finally {
      own.remove();
    }
  });
});

const PUBLISHED_MODES = {
  ".": "40555",
  bin: "40555",
  "bin/run": "100555",
  empty: "40555",
  "generation.json": "100444",
  lib: "40555",
  "lib/a.js": "100444",
  "lib/ünï": "100444",
};

function modesOf(tree: string): Record<string, string> {
  const modes: Record<string, string> = {};
  const visit = (path: string) => {
    const { mode } = lstatSync(join(tree, path));
    if ((mode & 0o170000) !== 0o120000) modes[path] = mode.toString(8);
    if ((mode & 0o170000) !== 0o040000) return;
    for (const name of readdirSync(join(tree, path))) visit(path === "." ? name : `${path}/${name}`);
  };
  visit(".");
  return modes;
}

const isLink = ({ kind }: { readonly kind: string }) => kind === "link";

/** This checkout's own packages, four times over, with all that is awkward beside them. */
function makeRealTree(root: string): void {
  mkdirSync(root);
  for (const copy of ["one", "two", "three", "four"]) {
    linkPackages(join(CHECKOUT, "node_modules"), join(root, "packages", copy));
  }
  const deep = folderPrefix(40);
  const generated = Array.from({ length: 600 }, (_, index) => [
    `generated/${index % 20}/${index}.txt`,
    `${index}\n`,
  ]);
  const empty = Array.from({ length: 20 }, (_, index) => [`empty/${index}`, ""]);
  const links = Array.from({ length: 40 }, (_, index) => [
    `links/${index}`,
    `-> ../generated/0/${index * 20}.txt`,
  ]);
  writeTree(root, {
    ...TRAPS,
    ...NAMES,
    ...Object.fromEntries([...generated, ...empty, ...links]),
    [`${deep}/bottom.txt`]: "deep",
    [`${deep}/up`]: "-> ../..",
  });
  for (let index = 0; index < 60; index += 1) {
    mkdirSync(join(root, "bin"), { recursive: true });
    writeFileSync(join(root, "bin", `tool-${index}`), `#!/bin/sh\necho ${index}\n`, { mode: 0o755 });
  }
}

function linkPackages(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkPackages(source, target);
    else if (entry.isSymbolicLink()) {
      const points = readlinkSync(source);
      if (existsSync(source) && lstatSync(realpathSync(source)).size <= LARGEST_BYTES)
        symlinkSync(points, target);
    } else if (lstatSync(source).size <= LARGEST_BYTES) linkOrCopy(source, target);
  }
  // Git's index cannot hold an empty folder; they have a test of their own.
  if (readdirSync(to).length === 0) writeFileSync(join(to, "kept"), "");
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** A copy whose entries are made in the opposite order, on whatever file system it stands. */
function copyBackwards(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true }).reverse()) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyBackwards(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else copyFileSync(source, target);
  }
}
