/** The lockfile's check against this project itself, whose lockfile npm wrote. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createNodeFileSystem } from "../../src/store/node-file-system.ts";
import { checkInstalled } from "../../src/store/source/installed-packages.ts";
import { checkLockfile, parseLockfile } from "../../src/store/source/lockfile.ts";
import {
  manifestDifferences,
  type PackageManifest,
  parseManifest,
} from "../../src/store/source/package-manifest.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const manifestOf = (value: unknown): PackageManifest => {
  const parsed = parseManifest(Buffer.from(JSON.stringify(value)));
  if (parsed.kind === "malformed") throw new Error(parsed.why);
  return parsed.manifest;
};

describe("this project's own lockfile", () => {
  const lockfile = parseLockfile("package-lock.json", readFileSync(`${root}/package-lock.json`));

  test("agrees with its manifest", () => {
    const manifest = manifestOf(JSON.parse(readFileSync(`${root}/package.json`, "utf8")));
    expect(checkLockfile(manifest, lockfile)).toEqual([]);
    expect(lockfile.packages.length).toBeGreaterThan(20);
  });

  test("records what npm installed, package by package", () => {
    expect(checkInstalled(createNodeFileSystem(), root, [], lockfile)).toEqual([]);
  });

  test("does not know a package that was put beside the installed ones", () => {
    const entries = [
      "node_modules/a/package.json",
      "node_modules/@s/b/package.json",
      "node_modules/tar/lib/package.json",
    ].map((path) => ({ kind: "bytes", path, executable: false, bytes: new Uint8Array() }) as const);
    expect(checkInstalled(createNodeFileSystem(), root, entries, lockfile).map(({ what }) => what)).toEqual([
      "node_modules/a was installed but is not in package-lock.json",
      "node_modules/@s/b was installed but is not in package-lock.json",
    ]);
  });
});

describe("manifestDifferences", () => {
  test.each([
    ["a lone program is named after the package", { bin: "./x/../cli.js" }, { bin: { p: "cli.js" } }],
    [
      "paths of programs are normalized",
      { bin: { a: "./a.js", "../b": "b.js" } },
      { bin: { a: "a.js", b: "b.js" } },
    ],
    ["a version may begin with v", { version: "v1.2.3" }, { version: "1.2.3" }],
    [
      "what is both optional and not is optional",
      { dependencies: { a: "1", b: "1" }, optionalDependencies: { b: "1" } },
      { dependencies: { a: "1" }, optionalDependencies: { b: "1" } },
    ],
    ["programs in a folder are npm's affair", { directories: { bin: "bin" } }, { bin: { a: "bin/a" } }],
  ])("%s", (_, manifest, record) => {
    const version = { version: "1.2.3" };
    expect(
      manifestDifferences("p", manifestOf({ ...version, ...manifest }), { ...version, ...record }),
    ).toEqual([]);
  });

  test("each difference is named, prototype members are no entries", () => {
    const manifest = manifestOf({ version: "1.0.1", dependencies: { toString: "1" }, bin: { a: "a.js" } });
    expect(manifestDifferences("@s/p", manifest, { version: "1.0.0", bin: { a: "b.js" } })).toEqual([
      "version: the package says 1.0.1, the lockfile 1.0.0",
      "dependencies.toString: the package says 1, the lockfile nothing",
      "bin.a: the package says a.js, the lockfile b.js",
    ]);
  });

  test("a scoped package's lone program is named after its last part", () => {
    expect(
      manifestDifferences("@s/p", manifestOf({ version: "1.0.0", bin: "c.js" }), {
        version: "1.0.0",
        bin: { p: "c.js" },
      }),
    ).toEqual([]);
  });
});
