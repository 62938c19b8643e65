/** The project's root, as git itself says it: one for all worktrees of a repository. */
import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findRoot } from "../../src/operations/scope/find-root.ts";
import { nameScope } from "../../src/operations/scope/scope-layout.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { makeFastFolder } from "../fixtures/fast-folder.ts";

let folder: string;
const at = (...names: string[]) => join(folder, ...names);

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const identity = [
    "-c",
    "user.name=x",
    "-c",
    "user.email=x@example.org",
    "-c",
    "protocol.file.allow=always",
  ];
  return execFileSync("git", [...identity, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" }).trim();
}

const commonFolder = (cwd: string) =>
  realpathSync(git(cwd, "rev-parse", "--path-format=absolute", "--git-common-dir"));

beforeAll(() => {
  folder = makeFastFolder();
  mkdirSync(at("project/src/deep"), { recursive: true });
  mkdirSync(at("plain/sub"), { recursive: true });
  git(at("project"), "init", "-q");
  git(at("project"), "commit", "-q", "--allow-empty", "-m", "x");
  git(at("project"), "worktree", "add", "-q", at("worktree"));
  git(folder, "clone", "-q", "--bare", at("project"), at("bare.git"));
  git(at("bare.git"), "worktree", "add", "-q", at("of-bare"));
  git(folder, "clone", "-q", at("project"), at("outer"));
  git(at("outer"), "submodule", "add", "-q", at("project"), "inner");
  git(folder, "init", "-q", "--separate-git-dir", at("kept-apart"), at("apart"));
  symlinkSync(at("project"), at("link"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("is the parent of git's common folder, from anywhere in the tree, in each worktree, and through a link", () => {
  for (const cwd of ["project", "project/src/deep", "worktree", "link", "link/src", "project/.git"]) {
    expect(findRoot(at(cwd)), cwd).toBe(at("project"));
  }
  expect(join(at("project"), ".git")).toBe(commonFolder(at("worktree")));
});

it("is git's common folder itself where that is not called .git, and one for all that share it", () => {
  expect(findRoot(at("of-bare"))).toBe(at("bare.git"));
  expect(findRoot(at("bare.git"))).toBe(at("bare.git"));
  expect(findRoot(at("outer/inner"))).toBe(commonFolder(at("outer/inner")));
  expect(findRoot(at("outer"))).toBe(at("outer"));
  expect(findRoot(at("apart"))).toBe(at("kept-apart"));
});

it("is the folder itself where no git is, or only something that is called so", () => {
  expect(findRoot(at("plain/sub"))).toBe(at("plain/sub"));
  mkdirSync(at("plain/.git"));
  expect(findRoot(at("plain"))).toBe(at("plain"));
  writeFileSync(at("plain/sub/.git"), "gitdir: /no/such/folder\n");
  expect(findRoot(at("plain/sub"))).toBe(at("plain/sub"));
  expect(codeOf(() => findRoot(at("missing")))).toBe("not_found");
});

it("and the profile name the scope", () => {
  // printf '/a\0default' | sha256sum
  expect(nameScope("/a", "default").scope).toBe("69429ffd8b85");
  expect(nameScope("/a", "other").scope).not.toBe(nameScope("/a", "default").scope);
});
