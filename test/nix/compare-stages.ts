/**
 * Compares the generation staged inside the flake's shell with the one staged outside of it.
 *
 *   usage   node compare-stages.ts CHECKOUT OUTSIDE.json INSIDE.json
 *           CHECKOUT holds bin/swarm-gen; the files hold what `stage --json` printed;
 *           SWARM_GEN_HOME names the store that has both
 *   exit    0 where the ids are equal, or where all that differs is the interpreter: its own files
 *           and what generation.json says of it; else 1, naming each further difference
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

interface Difference {
  readonly components: readonly {
    readonly component: string;
    readonly name: string;
    readonly change: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly files: readonly { readonly path: string; readonly component: string; readonly change: string }[];
}

const [checkout = ".", outsideFile = "", insideFile = ""] = process.argv.slice(2);

const outside = readJson<{ generation: string }>(outsideFile).generation;
const inside = readJson<{ generation: string }>(insideFile).generation;

if (outside === inside) {
  say(`the same generation inside and outside: ${outside}`);
} else {
  const difference = ask<Difference>("diff", outside, inside);
  for (const { component, name, change, before, after } of difference.components) {
    say(`${component} ${name} ${change}: ${before} -> ${after}`);
  }
  for (const { path, change } of difference.files) say(`  ${path} ${change}`);
  const unexpected = unexpectedDifferences(difference);
  for (const line of unexpected) say(`unexpected: ${line}`);
  process.exitCode = unexpected.length === 0 ? 0 : 1;
}

function unexpectedDifferences(difference: Difference): string[] {
  const found: string[] = [];
  const ofInterpreter = difference.components.filter(({ component }) => component === "interpreter");
  // Ids that differ without a difference that is named would be a fault of the diff or of the id.
  if (ofInterpreter.length === 0) found.push("the ids differ, but the interpreters do not");
  for (const { component, name, change } of difference.components) {
    if (component !== "interpreter" && component !== "code") found.push(`${component} ${name} ${change}`);
  }
  for (const { path, component, change } of difference.files) {
    if (component !== "interpreter" && path !== "generation.json") found.push(`${path} ${change}`);
  }
  if (!isDeepStrictEqual(withoutInterpreter(outside), withoutInterpreter(inside))) {
    found.push("generation.json differs in more than its interpreter");
  }
  return found;
}

function withoutInterpreter(generation: string): Record<string, unknown> {
  const { path } = ask<{ path: string }>("show", generation);
  const file = readJson<Record<string, unknown>>(join(path, "generation.json"));
  delete file.interpreter;
  return file;
}

function ask<Output>(...words: string[]): Output {
  const answer = execFileSync(join(checkout, "bin/swarm-gen"), [...words, "--json"], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(answer) as Output;
}

function readJson<Content>(file: string): Content {
  return JSON.parse(readFileSync(file, "utf8")) as Content;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
