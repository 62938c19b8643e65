/** Archives that honest programs make are unpacked, and hold what those programs say they hold. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { unpackPackage } from "../../src/store/source/archive/unpack-package.ts";
import { END, entry, file, folder, gnuLong, gzip, link, pax, tar } from "../fixtures/archives/raw-tar.ts";
import { type ArchiveWorld, createArchiveWorld, describeTree } from "../fixtures/archives/world.ts";

let world: ArchiveWorld;
beforeEach(() => {
  world = createArchiveWorld();
});
afterEach(() => world.remove());

const LONG = `${"long-folder-name-".repeat(7)}/${"another-long-name-".repeat(8)}/file.txt`;

/** A folder `<world>/made/package` with the usual contents of a package; answers its parent. */
function makePackage(): string {
  const parent = join(world.folder, "made");
  const at = (path: string): string => join(parent, "package", path);
  for (const path of ["bin", "lib/deep/er", "empty", "names", join(LONG, "..")]) {
    fs.mkdirSync(at(path), { recursive: true });
  }
  fs.writeFileSync(at("package.json"), '{"name":"made","version":"1.0.0","bin":"bin/run"}\n');
  fs.writeFileSync(at("bin/run"), "#!/bin/sh\n");
  fs.chmodSync(at("bin/run"), 0o755);
  fs.writeFileSync(at("lib/deep/er/data.bin"), Buffer.alloc(300_000, 7));
  fs.writeFileSync(at("lib/nothing"), "");
  fs.writeFileSync(at(LONG), "long\n");
  for (const name of [
    "Grüße.txt",
    "ファイル",
    "with space",
    "-dash",
    "...",
    "..a",
    "a..",
    "C:drive",
    "12345",
  ]) {
    fs.writeFileSync(at(`names/${name}`), `${name}\n`);
  }
  fs.symlinkSync("../lib/deep", at("bin/link"));
  fs.symlinkSync("nowhere", at("lib/dangling"));
  return parent;
}

function run(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

/** Names, kinds, contents, targets and the owner's executable bit; the rest of a mode is ours to choose. */
function contentsOf(root: string): string[] {
  return describeTree(root).map((line) =>
    line
      .replace(/ ([0-7]+) (\d+ [0-9a-f]{64})$/, (_, mode, rest) =>
        Number.parseInt(mode, 8) & 0o100 ? ` x ${rest}` : ` - ${rest}`,
      )
      .replace(/\/ [0-7]+$/, "/"),
  );
}

describe("what GNU tar makes is unpacked as GNU tar unpacks it", () => {
  it.each([
    { format: "gnu", packed: false },
    { format: "posix", packed: false },
    { format: "gnu", packed: true },
    { format: "posix", packed: true },
  ])("--format=$format, gzip $packed", async ({ format, packed }) => {
    const parent = makePackage();
    const archive = join(world.folder, "a.tar");
    run("tar", [packed ? "-czf" : "-cf", archive, `--format=${format}`, "package"], parent);
    const theirs = join(world.folder, "theirs");
    fs.mkdirSync(theirs);
    run("tar", ["-xf", archive, "--strip-components=1"], theirs);

    await expect(unpackPackage({ fs, archive, into: world.into })).resolves.toEqual({ root: "package" });

    expect(contentsOf(world.into)).toEqual(contentsOf(theirs));
  });

  it.each(["ustar", "v7"])("--format=%s, with names that it can hold", async (format) => {
    const parent = makePackage();
    const archive = join(world.folder, "a.tar");
    fs.rmSync(join(parent, "package", LONG.slice(0, LONG.indexOf("/"))), { recursive: true });
    run("tar", ["-cf", archive, `--format=${format}`, "package"], parent);

    await unpackPackage({ fs, archive, into: world.into });

    expect(contentsOf(world.into)).toEqual(contentsOf(join(parent, "package")));
  });
});

it("what npm pack makes is unpacked, whatever npm leaves out", async () => {
  const parent = makePackage();
  fs.rmSync(join(parent, "package", "bin", "link"));
  run("npm", ["pack", "--silent", "--pack-destination", world.folder, "./package"], parent);
  const archive = join(world.folder, "made-1.0.0.tgz");

  await unpackPackage({ fs, archive, into: world.into });

  expect(fs.readFileSync(join(world.into, "lib/deep/er/data.bin"))).toEqual(Buffer.alloc(300_000, 7));
  expect(fs.readFileSync(join(world.into, LONG), "utf8")).toBe("long\n");
  expect(fs.statSync(join(world.into, "bin/run")).mode & 0o777).toBe(0o755);
});

it("what git archive makes is unpacked, its global pax comment included", async () => {
  const parent = makePackage();
  const repository = join(parent, "package");
  const git = (...args: string[]) =>
    run(
      "git",
      ["-c", "user.name=a", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false", ...args],
      repository,
    );
  git("init", "-q");
  git("add", "-A", "-f");
  git("commit", "-qm", "one");
  const archive = join(world.folder, "a.tgz");
  git("archive", "--format=tgz", "--prefix=any-name/", "-o", archive, "HEAD");
  fs.rmSync(join(repository, ".git"), { recursive: true });
  fs.rmdirSync(join(repository, "empty"));

  await expect(unpackPackage({ fs, archive, into: world.into })).resolves.toEqual({ root: "any-name" });

  expect(contentsOf(world.into)).toEqual(contentsOf(repository));
});

const UNUSUAL: readonly (readonly [string, () => Buffer, readonly string[]])[] = [
  ["files and no folders", () => tar(file("package/a/b")), ["a/", "a/b"]],
  ["a folder after its files", () => tar(file("package/a/b"), folder("package/a/")), ["a/", "a/b"]],
  ["a folder without a slash", () => tar(folder("package"), folder("package/a")), ["a/"]],
  ["a top folder and nothing in it", () => tar(folder("package/")), []],
  [
    "CVE-2026-59871: a name of digits in a pax path",
    () => tar(pax({ path: "package/12345" }), file("a")),
    ["12345"],
  ],
  ["a GNU long name that is short", () => tar(gnuLong("L", "package/b"), file("a")), ["b"]],
  [
    "a GNU long name and a long target",
    () => tar(gnuLong("K", "x"), gnuLong("L", "package/b"), link("a", "a")),
    ["b -> x"],
  ],
  ["a pax size that agrees", () => tar(pax({ size: "8" }), file("package/a")), ["a"]],
  [
    "extended attributes, which are dropped",
    () => tar(pax({ "SCHILY.xattr.user.a": "b" }), file("package/a")),
    ["a"],
  ],
  [
    "times and owners in pax, which are dropped",
    () => tar(pax({ mtime: "1700000000.123456789", uid: "4294967295", uname: "x" }), file("package/a")),
    ["a"],
  ],
  [
    "a sticky file and one with its kind in the mode",
    () => tar(entry({ path: "package/a", mode: 0o101644 })),
    ["a"],
  ],
  [
    "a folder with its set-group-id bit",
    () => tar(entry({ path: "package/a", type: "5", mode: 0o2775 })),
    ["a/"],
  ],
  [
    "the NUL type of old archives",
    () => tar(entry({ path: "package/a", type: "\0", magic: "\0".repeat(8) })),
    ["a"],
  ],
  ["a name of 100 bytes, without a NUL", () => tar(file(`package/${"n".repeat(92)}`)), ["n".repeat(92)]],
  [
    "a name of 255 bytes",
    () => tar(pax({ path: `package/${"n".repeat(255)}` }), file("a")),
    ["n".repeat(255)],
  ],
  [
    "a link to its own folder's parent, inside",
    () => tar(link("package/a/b/up", "../..")),
    ["a/", "a/b/", "a/b/up -> ../.."],
  ],
  [
    "a link that is resolved through another",
    () => tar(link("package/a", "b/c"), link("package/b", "d")),
    ["a -> b/c", "b -> d"],
  ],
  ["a link with a backslash, which is a name here", () => tar(link("package/a", "..\\b")), ["a -> ..\\b"]],
  [
    "a chain of 39 links",
    () => tar(...Array.from({ length: 39 }, (_, at) => link(`package/${at + 10}`, `${at + 11}`))),
    Array.from({ length: 39 }, (_, at) => `${at + 10} -> ${at + 11}`),
  ],
  ["zeros up to a whole record", () => Buffer.concat([tar(file("package/a")), ...Array(8).fill(END)]), ["a"]],
  [
    "gzip with a file name",
    () => gzip(tar(file("package/a")), { flags: 8, optional: Buffer.from("a.tar\0") }),
    ["a"],
  ],
  [
    "gzip with all optional fields",
    () => gzip(tar(file("package/a")), { flags: 0x1e, optional: Buffer.from("\u0002\0xxname\0comment\0hh") }),
    ["a"],
  ],
];

describe("unusual and harmless", () => {
  it.each(UNUSUAL.map(([name, bytes, expected]) => ({ name, bytes, expected })))(
    "$name",
    async ({ bytes, expected }) => {
      await unpackPackage({ fs, archive: world.archive(bytes()), into: world.into });
      const names = describeTree(world.into).map((line) =>
        line.replace(/ [0-7]+ 1 [0-9a-f]{64}$/, "").replace(/\/ 755$/, "/"),
      );
      expect(names).toEqual(expected);
    },
  );
});

it("files are 0644 or 0755 whatever the umask, and all times are 2 January 1980", async () => {
  const archive = world.archive(
    tar(
      entry({ path: "package/a", mode: 0o600 }),
      entry({ path: "package/b", mode: 0o100 }),
      link("package/c", "a"),
    ),
  );
  await unpackPackage({ fs, archive, into: world.into });
  const seen = ["a", "b", "c", "."].map((name) => {
    const stats = fs.lstatSync(join(world.into, name));
    return [
      name,
      stats.isSymbolicLink() ? null : (stats.mode & 0o7777).toString(8),
      stats.mtime.toISOString(),
    ];
  });
  expect(seen).toEqual([
    ["a", "644", "1980-01-02T00:00:00.000Z"],
    ["b", "755", "1980-01-02T00:00:00.000Z"],
    ["c", null, "1980-01-02T00:00:00.000Z"],
    [".", "755", "1980-01-02T00:00:00.000Z"],
  ]);
});

it("a folder that is not empty, or a link, is not unpacked into", async () => {
  const archive = world.archive(tar(file("package/a")));
  const pointer = join(world.folder, "into");
  fs.symlinkSync(world.outside, pointer);
  await expect(unpackPackage({ fs, archive, into: world.outside })).rejects.toMatchObject({
    code: "invalid_input",
  });
  await expect(unpackPackage({ fs, archive, into: pointer })).rejects.toMatchObject({
    code: "invalid_input",
  });
});

it("an archive that is missing, a folder or a fifo is a typed error, and nothing waits", async () => {
  const fifo = join(world.folder, "fifo");
  run("mkfifo", [fifo], world.folder);
  const unpack = (archive: string) => unpackPackage({ fs, archive, into: world.into });
  await expect(unpack(join(world.folder, "none"))).rejects.toMatchObject({ code: "not_found" });
  await expect(unpack(world.outside)).rejects.toMatchObject({ code: "invalid_input" });
  await expect(unpack(fifo)).rejects.toMatchObject({ code: "invalid_input" });
});

it("an archive whose every entry is refused is not called empty as well", async () => {
  const archive = world.archive(tar(file("../a")));
  const act = unpackPackage({ fs, archive, into: world.into });
  await expect(act).rejects.toSatisfy(({ fields }) => fields.findings.length === 1);
});

it("all findings of one archive are reported at once, and nothing of it is written after the first", async () => {
  const archive = world.archive(
    tar(
      file("package/a"),
      file("package/../b"),
      file("package/A"),
      link("package/c", "/etc"),
      file("package/d"),
    ),
  );
  const act = unpackPackage({ fs, archive, into: world.into });
  await expect(act).rejects.toMatchObject({
    fields: {
      findings: [{ kind: "path-traversal" }, { kind: "name-collision" }, { kind: "absolute-link" }],
    },
  });
  expect(fs.existsSync(join(world.into, "d"))).toBe(false);
});
