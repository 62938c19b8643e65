import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/surface/cli/command-table.ts";
import { type CliWorld, createCliWorld, MAIN, placeRuntime } from "../fixtures/cli-world.ts";

/**
 * Every example of every `--help` runs as it stands, in the order of the table, in one world: a
 * folder `runtime`, two activations in `default`, one in `canary`.
 */
let world: CliWorld;
let generations: string[];

beforeAll(() => {
  world = createCliWorld();
  placeRuntime(join(world.folder, "runtime"));
  // `cli ls` and `cli --version` of the examples are swarm-gen's own; here any program will do.
  expect(world.run("stage", "runtime", "--activate").code).toBe(0);
  const cli = join(world.folder, "runtime/cli.mjs");
  writeFileSync(cli, `${readFileSync(cli, "utf8")}// changed\n`);
  expect(world.run("stage", "runtime", "--activate").code).toBe(0);
  generations = ["@1", "@2"].map((reference) => String(world.json("show", reference).value.generation));
  expect(world.run("activate", generations[0] ?? "", "--profile", "canary").code).toBe(0);
}, 60_000);

afterAll(() => world.remove());

function shell(line: string): { status: number | null; stderr: string } {
  if (line.includes("@previous") || line.includes("rollback")) {
    for (const id of generations) world.run("activate", id);
  }
  const pin = line.includes("$PIN") ? world.json("pin", "@1", "--reason", "example").value.id : "";
  const id = line.includes("$ID") ? world.json("show", "@current").value.generation : "";
  // In plain sh no function's name holds a hyphen.
  const script = `swarm_gen() { "$NODE" "$MAIN" "$@"; }\n${line.replaceAll("swarm-gen ", "swarm_gen ")}\n`;
  const { status, stderr } = spawnSync("/bin/sh", ["-ec", script], {
    cwd: world.folder,
    env: { ...world.env, NODE: process.execPath, MAIN, PIN: String(pin), ID: String(id) },
    encoding: "utf8",
  });
  return { status, stderr };
}

describe.each(COMMANDS)("the examples of $name", ({ examples }) => {
  it.each(examples)(
    "$line",
    ({ line }) => {
      const { status, stderr } = shell(line);
      expect(stderr.replace(/^[0-9a-f]{12} written: .*\n$/, "")).toBe("");
      expect(status).toBe(0);
    },
    30_000,
  );
});
