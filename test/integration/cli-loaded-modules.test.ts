import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliWorld, createCliWorld, MAIN } from "../fixtures/cli-world.ts";

const RECORDER = new URL("../fixtures/record-modules.mjs", import.meta.url).pathname;

let world: CliWorld;

beforeAll(() => {
  world = createCliWorld();
  world.stage("one", { "a.txt": "one\n" }, "--activate");
});

afterAll(() => world.remove());

function loadedBy(...words: string[]): { packages: string[]; own: string[]; builtins: string } {
  const file = join(world.folder, "modules");
  rmSync(file, { force: true });
  const { status } = spawnSync(process.execPath, ["--import", RECORDER, MAIN, ...words], {
    cwd: world.folder,
    env: { ...world.env, MODULES_FILE: file },
  });
  expect(status).toBe(0);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const packageOf = (url: string) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  return {
    packages: [...new Set(lines.flatMap((line) => packageOf(line) ?? []))].sort(),
    own: lines.flatMap((line) => /\/src\/(.*)\.ts$/.exec(line)?.[1] ?? []),
    builtins: lines.find((line) => line.startsWith("builtins ")) ?? "",
  };
}

describe("what a command does not need is not loaded", () => {
  it.each([
    [["--help"], []],
    [["--version"], []],
    [["task", "--help"], []],
    [["stage", "--help"], []],
    [["task", "add", "x", "--help"], ["@stricli/core"]],
  ])("%j loads %j and nothing of the store, the owner or any command", (words, wanted) => {
    const { packages, own, builtins } = loadedBy(...words);
    expect(packages).toEqual(wanted);
    const foreign = /^(store|coordinator|client|owner|census)\/|\/(commands|scope)\//;
    expect(own.filter((path) => foreign.test(path))).toEqual([]);
    for (const name of ["crypto", "child_process", "worker_threads"]) {
      expect(builtins.split(" ")).not.toContain(`NativeModule ${name}`);
    }
    expect(builtins).not.toMatch(/NativeModule (?:child_process|crypto)\b/);
  });

  it.each([
    [["ls"]],
    [["why", "@current"]],
    [["history"]],
    [["show", "@current"]],
    [["activate", "@current"]],
  ])("%j loads SQLite and digests, but no schema, archive, process or glob library", (words) => {
    const { packages, own } = loadedBy(...words);
    expect(packages).toEqual(expect.arrayContaining(["@stricli/core", "better-sqlite3"]));
    const allowed = ["@noble/hashes", "@stricli/core", "better-sqlite3", "bindings", "file-uri-to-path"];
    expect(packages.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(own.filter((path) => path.includes("/commands/"))).toHaveLength(words[0] === "activate" ? 1 : 1);
  });

  it("stage --bare loads no schema, archive, process or glob library", () => {
    const folder = join(world.folder, "taken-whole");
    mkdirSync(folder);
    writeFileSync(join(folder, "a.txt"), "two\n");
    const { packages } = loadedBy("stage", folder, "--bare");
    const allowed = ["@noble/hashes", "@stricli/core", "better-sqlite3", "bindings", "file-uri-to-path"];
    expect(packages.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it.each([
    [["task", "ls"]],
    [["task", "add", "T", "--brief", '{"objective":"x"}']],
    [["inbox", "fetch"]],
    [["events"]],
    [["status"]],
    [["owner", "status"]],
  ])("%j loads a client, and no SQLite, schema or server while an owner runs", (words) => {
    expect(world.run("owner", "start").code).toBe(0);
    const { packages, own, builtins } = loadedBy(...words);
    expect(packages.filter((name) => name !== "@stricli/core")).toEqual([]);
    expect(own).toContain("client/create-client");
    expect(own.filter((path) => /^(coordinator|owner|store)\//.test(path))).toEqual([]);
    expect(builtins).not.toMatch(/NativeModule (?:http|child_process|worker_threads)\b/);
  });
});
