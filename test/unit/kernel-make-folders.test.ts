import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolders } from "../../src/kernel/make-folders.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "make-folders-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("makeFolders", () => {
  const fs = { mkdirSync, statSync };

  it("makes all that is missing, private, and takes what is there", () => {
    makeFolders(fs, join(folder, "a/b/c"), 0o700);
    makeFolders(fs, join(folder, "a/b/c"), 0o700);
    for (const path of ["a", "a/b", "a/b/c"]) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
  });

  it("fails where a file stands, as itself or above", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => makeFolders(fs, join(folder, "file"), 0o700)).toThrow("EEXIST");
    expect(() => makeFolders(fs, join(folder, "file/a/b"), 0o700)).toThrow("ENOTDIR");
  });

  it("ends where a folder that exists answers ENOENT to every new name", () => {
    const calls: string[] = [];
    const odd = {
      statSync,
      mkdirSync: ((path: string) => {
        calls.push(path);
        const code = path === folder ? "EEXIST" : "ENOENT";
        throw Object.assign(new Error(code), { code });
      }) as typeof mkdirSync,
    };
    expect(() => makeFolders(odd, join(folder, "a/b"), 0o700)).toThrow("EPERM");
    expect(calls.length).toBeLessThan(10);
  });
});
