/**
 * Many client processes: ours over the owner's socket, plainjob's each with the database itself,
 * both with a flush before anybody hears of a change.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import type { Row } from "../row.ts";
import { median } from "../statistics.ts";
import { createHome, INTERPRETER } from "../swarm-gen.ts";
import { openPlainjob } from "./plainjob-queue.ts";

const CLIENTS = [1, 2, 4, 8, 16];
/** What the targets are for. */
const JUDGED = 8;
const RUN_MS = { full: 5000, reduced: 1000 };
/** So that all children have read when they begin. */
const START_MS = 200;
const WORST_WAIT = 1 / 20;
const SHARE = 1.3;

interface ChildResult {
  readonly cycles: number;
  readonly worstMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function measureApi(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const clients of bench.reduced ? [2, JUDGED] : CLIENTS)
    rows.push(...(await compareWith(bench, clients)));
  return rows;
}

async function compareWith(bench: Bench, clients: number): Promise<Row[]> {
  const [ours, theirs]: [ChildResult[][], ChildResult[][]] = [[], []];
  const rounds = clients === JUDGED ? bench.rounds : 1;
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) ours.push(await runOurs(bench, clients));
    theirs.push(await runPlainjob(bench, clients));
    if (round % 2 === 1) ours.push(await runOurs(bench, clients));
  }
  const judged = clients === JUDGED;
  const runMs = bench.reduced ? RUN_MS.reduced : RUN_MS.full;
  const perThousand = (runs: ChildResult[][]) => runs.map((run) => (runMs * 1000) / cyclesOf(run));
  const worst = (runs: ChildResult[][]) => runs.map((run) => Math.max(...run.map(({ worstMs }) => worstMs)));
  const rate = Math.round(median(ours.map((run) => (cyclesOf(run) * 1000) / runMs)));
  const p99 = median(ours.map((run) => Math.max(...run.map(({ p99Ms }) => p99Ms))));
  const rows: Row[] = [
    {
      kind: "compared",
      operation: `add + claim + finish, 1,000 times, ${clients} clients`,
      against: `plainjob, ${clients} processes`,
      oursMs: perThousand(ours),
      theirsMs: perThousand(theirs),
      atMost: judged ? 1 : null,
      note: `${rate} a second`,
    },
    {
      kind: "compared",
      operation: `the worst wait of a call, ${clients} clients`,
      against: `plainjob, ${clients} processes`,
      oursMs: worst(ours),
      theirsMs: worst(theirs),
      atMost: judged ? WORST_WAIT : null,
      note: `p99 of the slowest client ${p99.toFixed(2)} ms`,
    },
  ];
  if (clients > 1) rows.push(share("ours", ours, judged ? SHARE : null), share("plainjob's", theirs, null));
  return rows;
}

function share(whose: string, runs: readonly ChildResult[][], atMost: number | null): Row {
  const shares = runs.map((run) => {
    const cycles = run.map((child) => child.cycles);
    return Math.max(...cycles) / Math.max(1, Math.min(...cycles));
  });
  const value = median(shares);
  return {
    kind: "absolute",
    operation: `the luckiest client's share by the unluckiest's, ${runs[0]?.length} clients, ${whose}`,
    unit: "×",
    value,
    atMost,
  };
}

const cyclesOf = (run: readonly ChildResult[]): number => run.reduce((sum, { cycles }) => sum + cycles, 0);

async function runOurs(bench: Bench, clients: number): Promise<ChildResult[]> {
  const project = bench.fresh("project");
  mkdirSync(project);
  const home = createHome(bench.fresh("home"));
  home.run("owner", "start", "--scope", project);
  try {
    const keys = Array.from({ length: clients }, (_, index) => {
      const [lead, worker] = [join(project, `lead-${index}`), join(project, `worker-${index}`)];
      for (const [kind, file] of [
        ["lead", lead],
        ["worker", worker],
      ] as const) {
        home.run(
          "enroll",
          kind,
          "--label",
          `${kind} ${index}`,
          "--capability-file",
          file,
          "--scope",
          project,
        );
      }
      return { lead, worker };
    });
    const { endpoint } = JSON.parse(home.run("owner", "status", "--scope", project, "--json").stdout) as {
      endpoint: string;
    };
    return await runChildren(
      bench,
      "api-child.ts",
      keys.map((key) => ({ ...key, socket: endpoint })),
    );
  } finally {
    home.run("owner", "stop", "--scope", project);
  }
}

async function runPlainjob(bench: Bench, clients: number): Promise<ChildResult[]> {
  const folder = bench.fresh("plainjob");
  mkdirSync(folder);
  const path = join(folder, "queue.sqlite");
  // Its tables are made once, beforehand: processes that make them together would fail.
  openPlainjob(path).close();
  const results = await runChildren(bench, "plainjob-child.ts", Array(clients).fill({ path }));
  if (readdirSync(folder).length === 0) throw new Error("plainjob made no database");
  return results;
}

async function runChildren(bench: Bench, program: string, given: readonly object[]): Promise<ChildResult[]> {
  const children = given.map((each) => startChild(join(import.meta.dirname, program), JSON.stringify(each)));
  await Promise.all(children.map(({ ready }) => ready));
  const startAt = Date.now() + START_MS;
  const endAt = startAt + (bench.reduced ? RUN_MS.reduced : RUN_MS.full);
  for (const { begin } of children) begin(JSON.stringify({ startAt, endAt }));
  const results = await Promise.all(children.map(({ result }) => result));
  if (results.every(({ cycles }) => cycles === 0)) throw new Error(`${program} did nothing at all`);
  return results;
}

interface Child {
  readonly ready: Promise<void>;
  readonly begin: (span: string) => void;
  readonly result: Promise<ChildResult>;
}

/** The child says "ready" in its first line, and its result in the second. */
function startChild(file: string, given: string): Child {
  const child = spawn(INTERPRETER, [file, given], { stdio: "pipe" });
  let [stdout, stderr] = ["", ""];
  child.stderr.on("data", (piece) => {
    stderr += piece;
  });
  const result = new Promise<ChildResult>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(stdout.slice("ready\n".length)) as ChildResult);
      else reject(new Error(`${file} ended with ${code}: ${stderr.slice(-600)}`));
    });
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout.on("data", (piece) => {
      stdout += piece;
      if (stdout.startsWith("ready\n")) resolve();
    });
  });
  return {
    ready: Promise.race([ready, result.then(() => {})]),
    begin: (span) => child.stdin.end(span),
    result,
  };
}
