/**
 * Measures the ledger beside plainjob, a queue on the same database library, and prints a table;
 * docs/benchmarks.md has the method and how to read it.
 *
 *   usage   npm run bench:ledger [-- OPTIONS]
 *             --rounds N       runs of each side (5)
 *             --reduced        little work and few rounds: that everything can be measured
 *             --only A,B       these measurements alone
 *             --folder PARENT  where the temporary folder is made (the system's)
 *             --json FILE      every single figure as well
 *   exit    1 only where a measurement failed; a target that is missed is a result
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Bench, createBench } from "./bench/bench.ts";
import { measureApi } from "./bench/ledger/measure-api.ts";
import { measureInProcess } from "./bench/ledger/measure-in-process.ts";
import { measureStatus } from "./bench/ledger/measure-status.ts";
import { machineFacts } from "./bench/machine-facts.ts";
import { markdownOf } from "./bench/report.ts";
import type { Row } from "./bench/row.ts";

/** In this order. */
const MEASUREMENTS: Readonly<Record<string, (bench: Bench) => Promise<Row[]>>> = {
  "in-process": measureInProcess,
  api: measureApi,
  status: async (bench) => measureStatus(bench),
};

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    reduced: { type: "boolean", default: false },
    only: { type: "string" },
    folder: { type: "string", default: tmpdir() },
    json: { type: "string" },
  },
});
const { reduced } = values;
const asked = values.only?.split(",") ?? Object.keys(MEASUREMENTS);
const unknown = asked.filter((name) => !(name in MEASUREMENTS));
if (unknown.length > 0) throw new Error(`--only knows ${Object.keys(MEASUREMENTS)}, and not ${unknown}`);
const rounds = Number(values.rounds ?? (reduced ? 2 : 5));
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds is a whole number from 1 on");

const folder = realpathSync(mkdtempSync(join(values.folder, "swarm-gen-bench-")));
try {
  const facts = machineFacts(folder);
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  if (facts.load > 1) say(`beware: the load average is ${facts.load}; the figures will not mean much`);
  const bench = createBench({ folder, tree: folder, rounds, reduced, minutes: 60, say });
  const rows: Row[] = [];
  for (const name of asked) rows.push(...(await measured(bench, name)));
  const report = { facts, measuredOn: "ledgers made for each run", rounds, reduced, rows };
  process.stdout.write(markdownOf(report));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  if (rows.some(({ kind }) => kind === "failed")) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measured(bench: Bench, name: string): Promise<Row[]> {
  bench.say(`measuring: ${name}`);
  try {
    return (await MEASUREMENTS[name]?.(bench)) ?? [];
  } catch (error) {
    return [{ kind: "failed", operation: name, why: (error as Error).message }];
  }
}
