/**
 * Measures the store beside Nix, cp, pnpm and a bare Node, and prints a table; docs/benchmarks.md
 * has the method and how to read it.
 *
 *   usage   npm run bench:store [-- OPTIONS]
 *             --tree DIR       measure on a copy of DIR instead of a tree made of node_modules
 *             --files N        size of the tree that is made (34000)
 *             --rounds N       runs of each side (5)
 *             --reduced        a small tree and few rounds: that everything can be measured
 *             --only A,B       these measurements alone
 *             --minutes N      begin nothing new after so long (45; reduced 3)
 *             --folder PARENT  where the temporary folder is made (the system's)
 *             --json FILE      every single figure as well
 *   exit    1 only where a measurement failed; a target that is missed is a result
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Base, prepareBase } from "./bench/base.ts";
import { type Bench, createBench } from "./bench/bench.ts";
import { machineFacts } from "./bench/machine-facts.ts";
import { countTree, makeTree } from "./bench/make-tree.ts";
import { measureChecks } from "./bench/measure-checks.ts";
import { measureCommands } from "./bench/measure-commands.ts";
import { measureFlips } from "./bench/measure-flips.ts";
import { measureMany } from "./bench/measure-many.ts";
import { measureMemory } from "./bench/measure-memory.ts";
import { measurePnpm } from "./bench/measure-pnpm.ts";
import { measureChangedStage, measureFirstStage, measureUnchangedStage } from "./bench/measure-stages.ts";
import { markdownOf } from "./bench/report.ts";
import type { Row } from "./bench/row.ts";
import { runTimed } from "./bench/run-timed.ts";

const CHECKOUT = realpathSync(new URL("..", import.meta.url).pathname);
const MATERIAL = join(CHECKOUT, "node_modules");

/** In this order. */
const MEASUREMENTS: Readonly<Record<string, (bench: Bench, base: Base) => Row[] | Promise<Row[]>>> = {
  commands: measureCommands,
  first: measureFirstStage,
  unchanged: measureUnchangedStage,
  changed: measureChangedStage,
  checks: measureChecks,
  flips: measureFlips,
  memory: (bench) => measureMemory(bench, MATERIAL),
  many: measureMany,
  // Last, since it may have to fetch much and would take the others' time.
  pnpm: (bench) => measurePnpm(bench, CHECKOUT),
};

const { values } = parseArgs({
  options: {
    tree: { type: "string" },
    files: { type: "string" },
    rounds: { type: "string" },
    reduced: { type: "boolean", default: false },
    only: { type: "string" },
    minutes: { type: "string" },
    folder: { type: "string", default: tmpdir() },
    json: { type: "string" },
  },
});
const { reduced } = values;
const asked = values.only?.split(",") ?? Object.keys(MEASUREMENTS);
const unknown = asked.filter((name) => !(name in MEASUREMENTS));
if (unknown.length > 0) throw new Error(`--only knows ${Object.keys(MEASUREMENTS)}, and not ${unknown}`);
if (!existsSync(join(CHECKOUT, "dist/surface/cli/main.js"))) throw new Error("run npm run build first");
const rounds = count("rounds", reduced ? 2 : 5);
const files = count("files", reduced ? 5_000 : 34_000);
const minutes = count("minutes", reduced ? 3 : 45);

const folder = realpathSync(mkdtempSync(join(values.folder, "swarm-gen-bench-")));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    remove();
    process.exit(1);
  });
}
try {
  const facts = machineFacts(folder);
  const tree = join(folder, "tree");
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  if (facts.load > 1) say(`beware: the load average is ${facts.load}; the figures will not mean much`);
  const bench = createBench({ folder, tree, rounds, reduced, minutes, say });
  say("making the tree");
  const described = prepareTree(tree);
  say("preparing stores that have it");
  const base = prepareBase(bench);
  const rows: Row[] = [];
  for (const name of asked) rows.push(...(await measured(bench, base, name)));
  const report = { facts, measuredOn: described, rounds, reduced, rows };
  process.stdout.write(markdownOf(report));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  if (rows.some(({ kind }) => kind === "failed")) process.exitCode = 1;
} finally {
  remove();
}

function count(name: "rounds" | "files" | "minutes", otherwise: number): number {
  const given = values[name];
  const number = given === undefined ? otherwise : Number(given);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} is a whole number from 1 on`);
  return number;
}

/** Gives what the tree is, in a sentence. */
function prepareTree(tree: string): string {
  const from = values.tree;
  if (from === undefined) makeTree({ from: MATERIAL, to: tree, files, largeFiles: !reduced });
  else {
    runTimed("cp", ["-a", resolve(from), tree]);
    // A stage leaves it out, and others would not.
    rmSync(join(tree, ".git"), { recursive: true, force: true });
  }
  const { files: found, links, executables, bytes } = countTree(tree);
  const origin = from === undefined ? "copies of node_modules, made different" : "a copy of a given folder";
  const megabytes = Math.round(bytes / 1e6);
  return `${found} files, ${links} links, ${executables} executables, ${megabytes} MB: ${origin}`;
}

async function measured(bench: Bench, base: Base, name: string): Promise<Row[]> {
  if (bench.isOver()) {
    return [{ kind: "not-measured", operation: name, against: "", why: `${minutes} minutes were over` }];
  }
  // Whole processes are waited for without the event loop; here signals are heard.
  await setImmediate();
  bench.say(`measuring: ${name}`);
  try {
    return (await MEASUREMENTS[name]?.(bench, base)) ?? [];
  } catch (error) {
    return [{ kind: "failed", operation: name, why: (error as Error).message }];
  }
}

function remove(): void {
  if (readdirSync(folder).length > 0) process.stderr.write("removing what was made\n");
  // Published folders are read-only; their files need not be touched, and there are millions.
  const script = 'find "$0" -type d ! -perm -u+w -exec chmod u+w {} +; rm -rf "$0"';
  spawnSync("/bin/sh", ["-c", script, folder]);
}
