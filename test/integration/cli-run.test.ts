import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliWorld, createCliWorld, MAIN, placeFiles, placeRuntime } from "../fixtures/cli-world.ts";

let world: CliWorld;
let tree: string;

beforeAll(() => {
  world = createCliWorld();
  placeRuntime(join(world.folder, "runtime"));
  expect(world.run("stage", "runtime", "--activate").code).toBe(0);
  tree = String(world.json("show", "@current").value.path);
}, 60_000);

afterAll(() => world.remove());

describe("the pin of a running program", () => {
  it("holds the generation under the program's own process id until it ends", async () => {
    placeFiles(join(world.folder, "waiting"), {
      "cli.mjs": 'process.stdin.on("end", () => {}).resume();\nconsole.log(process.pid);\n',
      "generations/waiting.json": JSON.stringify({
        format: 1,
        name: "waiting",
        include: ["cli.mjs"],
        entrypoints: { cli: "cli.mjs" },
      }),
    });
    const id = String(world.json("stage", "waiting").value.generation);
    const child = spawn(process.execPath, [MAIN, "run", id, "cli"], { cwd: world.folder, env: world.env });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    expect(line.toString()).toBe(`${child.pid}\n`);
    const { value } = world.json("why", id);
    expect(value.pins).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "process", holder: expect.objectContaining({ pid: child.pid }) }),
      ]),
    );
    expect(value.executing).toEqual([expect.objectContaining({ pid: child.pid })]);
    expect(world.json("store", "gc", "--older-than", "0s").value.deleted).not.toContain(id);
    const plan = world.json("uninstall", "--plan").value;
    expect(plan.clear).toBe(false);
    expect(plan.blockers).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: "process", id: String(child.pid) })]),
    );
    const ended = once(child, "exit");
    child.stdin.end();
    expect((await ended)[0]).toBe(0);
    expect(world.json("store", "gc", "--older-than", "0s").value.deleted).toContain(id);
    expect(existsSync(join(world.home, "store/generations", id))).toBe(false);
  });
});

describe("run", () => {
  it("that is refused leaves no pin", () => {
    const before = world.json("why", "@current").value.pins;
    expect(world.run("run", "@current", "nothing").code).toBe(3);
    expect(world.json("why", "@current").value.pins).toEqual(before);
  });

  it("starts each entry point on the generation's own interpreter, with its arguments as they are", () => {
    for (const [entry, name] of [
      ["cli", "cli"],
      ["mcp", "mcp"],
      ["hooks.Stop", "stop"],
      ["Stop", "stop"],
    ] as const) {
      const { code, out, err } = world.run("run", "@current", entry, "--json", "--", "a b", "--help");
      expect(err).toBe("");
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        name,
        args: ["--json", "--", "a b", "--help"],
        execPath: join(tree, "bin/node"),
      });
    }
  });

  it("hands over the exit code", () => {
    expect(world.runWith({ env: { WANTED_CODE: "7" } }, "run", "@current", "--", "cli").code).toBe(7);
  });

  it("clears Node's and the loader's variables and keeps the others", () => {
    const env = {
      NODE_PATH: "/evil",
      NODE_NO_WARNINGS: "1",
      LD_LIBRARY_PATH: "/evil",
      DYLD_X: "1",
      KEPT: "ü\n'",
    };
    const { out } = world.runWith({ env }, "run", "@current", "cli");
    const seen = Object.keys(JSON.parse(out).env).filter((name) => /^(NODE_|LD_|DYLD_)/.test(name));
    expect(seen).toEqual([]);
    expect(JSON.parse(out).env.KEPT).toBe("ü\n'");
  });

  it("works with no node in PATH and the source moved away", () => {
    const { status, stdout } = spawnSync(process.execPath, [MAIN, "run", "@current", "cli"], {
      cwd: "/",
      env: { ...world.env, PATH: "" },
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(realpathSync(JSON.parse(stdout).execPath)).toBe(join(tree, "bin/node"));
  });

  it("an unknown entry point is not_found and names those that exist", () => {
    const { code, out } = world.run("run", "--json", "@current", "nonsense", "--json");
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      code: "not_found",
      entry: "nonsense",
      entries: ["cli", "mcp", "hooks.Stop"],
      hint: "It has cli, mcp, hooks.Stop.",
    });
  });

  it("a generation without an interpreter is refused with the way out", () => {
    placeFiles(join(world.folder, "plain"), {
      "cli.mjs": "",
      "generations/plain.json": JSON.stringify({
        format: 1,
        name: "plain",
        include: ["cli.mjs"],
        interpreter: "none",
        entrypoints: { cli: "cli.mjs" },
      }),
    });
    const id = String(world.json("stage", "plain").value.generation);
    const { code, err } = world.run("run", id, "cli");
    expect(code).toBe(8);
    expect(err).toMatch(
      /^error\[unsupported_node\]: .*carries no interpreter.*\nhint: .*"interpreter": "running"/,
    );
  });
});
