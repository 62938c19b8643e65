import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, createCliWorld, MAIN } from "../fixtures/cli-world.ts";

const CHECKOUT = new URL("../../", import.meta.url).pathname;

let world: CliWorld;

beforeEach(() => {
  world = createCliWorld();
});

afterEach(() => world.remove());

function start(...words: string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...words], { cwd: world.folder, env: world.env });
}

describe("a signal in the middle of a stage", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s ends with %i, publishes nothing, leaves nothing, and the next stage works",
    async (signal, code) => {
      world.stage("one", { "a.txt": "one\n" });
      const before = world.json("ls").value;
      const many = join(world.folder, "many");
      mkdirSync(many);
      for (let at = 0; at < 4000; at += 1) writeFileSync(join(many, `f${at}`), String(at));
      const generations = join(world.home, "store/generations");
      const watcher = watch(generations);
      const child = start("stage", "many", "--bare", "--json");
      const ended = once(child, "exit");
      for (let name = ""; !name.startsWith(".staging-"); )
        [, name] = (await once(watcher, "change")) as [string, string];
      watcher.close();
      child.kill(signal);
      expect(await ended).toEqual([code, null]);
      expect(world.json("ls").value).toEqual(before);
      expect(readdirSync(generations).filter((name) => name.startsWith("."))).toEqual([]);
      expect(world.run("stage", "many", "--bare").code).toBe(0);
    },
    60_000,
  );
});

describe("a reader that goes away", () => {
  it("ends the command quietly", () => {
    const id = world.stage("one", { "a.txt": "x".repeat(2_000_000) });
    const script = '{ "$0" "$1" export "$2" --to -; echo $? > code; } | head -c 10 > start';
    const { stderr } = spawnSync("/bin/sh", ["-c", script, process.execPath, MAIN, id], {
      cwd: world.folder,
      env: world.env,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(readFileSync(join(world.folder, "code"), "utf8")).toBe("0\n");
    expect(readFileSync(join(world.folder, "start"))).toHaveLength(10);
  });
});

describe("under Node's permission model", () => {
  const confined = (...words: string[]) => {
    const flags = [
      "--permission",
      "--allow-addons",
      `--allow-fs-read=${CHECKOUT}`,
      `--allow-fs-read=${world.home}`,
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, MAIN, ...words], {
      cwd: world.folder,
      env: world.env,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };

  it("queries work with reads limited to the program and the home, and the rest is typed", () => {
    const id = world.stage("one", { "a.txt": "one\n" }, "--activate");
    for (const [words, seen] of [
      [["ls"], id.slice(0, 12)],
      [["show", "@current"], id],
      [["show", "@current", "--files"], "a.txt"],
      [["history"], id.slice(0, 12)],
    ] as const) {
      const { status, stdout } = confined(...words);
      expect(status).toBe(0);
      expect(stdout).toContain(seen);
    }
    expect(confined("doctor").status).toBe(0);
    const refused = confined("stage", join(world.folder, "one"), "--bare", "--json");
    expect(JSON.parse(refused.stdout)).toMatchObject({ ok: false, code: "store_unavailable" });
    expect(refused.status).toBe(11);
  });
});

describe("on a terminal", () => {
  it("progress and colour are shown, and NO_COLOR ends the colour", ({ skip }) => {
    // util-linux's form; macOS has another program of that name.
    const terminal = "/usr/bin/script";
    skip(process.platform !== "linux" || !existsSync(terminal), "needs util-linux's script for a terminal");
    const files = Object.fromEntries([...Array(50).keys()].map((at) => [`f${at}`, `${at}`]));
    world.stage("one", files);
    const onTerminal = (env: Record<string, string>, ...words: string[]) =>
      spawnSync(terminal, ["-qec", `'${process.execPath}' '${MAIN}' ${words.join(" ")}`, "/dev/null"], {
        cwd: world.folder,
        env: { ...world.env, TERM: "xterm", ...env },
        encoding: "utf8",
      }).stdout;
    writeFileSync(join(world.folder, "one/f0"), "changed");
    const shown = onTerminal({}, "stage", "one", "--bare");
    expect(shown).toContain("\r\u001b[Kreading");
    expect(shown).toContain("\u001b[32mnew\u001b[39m");
    expect(onTerminal({ NO_COLOR: "1" }, "stage", "one", "--bare", "--quiet")).toMatch(
      /^[0-9a-f]{12} {2}one {2}known already\r\n/,
    );
    expect(onTerminal({}, "export", "@current", "--to", "-")).toContain("error[");
  });
});
