/** The lockfile's check against this project itself, whose lockfile npm wrote and which npm installed. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createNodeFileSystem } from "../../src/store/node-file-system.ts";
import { checkInstalled } from "../../src/store/source/installed-packages.ts";
import { checkLockfile, parseLockfile } from "../../src/store/source/lockfile.ts";
import { parseManifest } from "../../src/store/source/package-manifest.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

describe("this project's own lockfile", () => {
  const lockfile = parseLockfile("package-lock.json", readFileSync(`${root}/package-lock.json`));

  test("agrees with its manifest", () => {
    const parsed = parseManifest(readFileSync(`${root}/package.json`));
    if (parsed.kind === "malformed") throw new Error(parsed.why);
    expect(checkLockfile(parsed.manifest, lockfile)).toEqual([]);
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
