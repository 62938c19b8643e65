import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/surface/cli/command-table.ts";
import { type CliWorld, createCliWorld, MAIN, placeRuntime } from "../fixtures/cli-world.ts";
import { createExampleProject, type ExampleProject } from "../fixtures/ledger-examples.ts";

/**
 * Every example of every `--help` runs as it stands, in the order of the table, in one world: a
 * folder `runtime`, two activations in `default`, one in `canary`, and a project with some work.
 */
let world: CliWorld;
let project: ExampleProject;
let generations: string[];

beforeAll(async () => {
  world = createCliWorld();
  const program = join(world.folder, "bin/swarm-gen");
  mkdirSync(join(world.folder, "bin"));
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(program, 0o755);
  placeRuntime(join(world.folder, "runtime"));
  // `cli ls` and `cli --version` of the examples are swarm-gen's own; here any program will do.
  expect(world.run("stage", "runtime", "--activate").code).toBe(0);
  const cli = join(world.folder, "runtime/cli.mjs");
  writeFileSync(cli, `${readFileSync(cli, "utf8")}// changed\n`);
  expect(world.run("stage", "runtime", "--activate").code).toBe(0);
  generations = ["@1", "@2"].map((reference) => String(world.json("show", reference).value.generation));
  expect(world.run("activate", generations[0] ?? "", "--profile", "canary").code).toBe(0);
  // Begun from the build itself: the examples' runtime has no owner.
  project = await createExampleProject(world);
}, 60_000);

afterAll(() => {
  project.close();
  world.remove();
});

/** Those that go on until Ctrl+C. */
const GOES_ON = /--follow|owner run/;

/** What commands say beside their data, and is no complaint. */
const SAID = /^(starting the owner of this project|its capability is in .*|[0-9a-f]{12} written: .*)\n/gm;

function environment(line: string): Record<string, string> {
  const pin = line.includes("$PIN") ? world.json("pin", "@1", "--reason", "example").value.id : "";
  const id = line.includes("$ID") ? world.json("show", "@current").value.generation : "";
  const PATH = `${join(world.folder, "bin")}:${world.env.PATH}`;
  return { ...world.env, PATH, PIN: String(pin), ID: String(id) };
}

function shell(line: string): { status: number | null; stderr: string } {
  if (line.includes("@previous") || line.includes("rollback")) {
    for (const id of generations) world.run("activate", id);
  }
  const { status, stderr } = spawnSync("/bin/sh", ["-ec", line], {
    cwd: world.folder,
    env: environment(line),
    encoding: "utf8",
  });
  return { status, stderr };
}

/** Ends it with Ctrl+C once it has said something. */
async function interrupted(line: string): Promise<unknown> {
  const child = spawn("/bin/sh", ["-c", `exec ${line}`], { cwd: world.folder, env: environment(line) });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), ended]);
  child.kill("SIGINT");
  return (await ended)[0];
}

describe.each(COMMANDS)("the examples of $name", ({ examples }) => {
  it.each(examples)(
    "$line",
    async ({ line }) => {
      const real = await project.prepare(line);
      if (GOES_ON.test(line)) return expect(await interrupted(real)).toBe(0);
      const { status, stderr } = shell(real);
      expect(stderr.replaceAll(SAID, "")).toBe("");
      expect(status).toBe(0);
    },
    30_000,
  );
});
