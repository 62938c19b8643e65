/** What many near-equal generations of the whole tree cost: disk for each, and the plan of a collection. */
import { type Base, diskKib } from "./base.ts";
import type { Bench } from "./bench.ts";
import { takeTurns } from "./bench.ts";
import { changeableFiles, changeFiles } from "./make-tree.ts";
import type { Row } from "./row.ts";
import { median } from "./statistics.ts";

const GENERATIONS = { full: 100, reduced: 12 };
const MEASURED_ON_DISK = 5;
const DISK_PERCENT = 2;
const PLAN_MS = 300;

export function measureMany(bench: Bench, base: Base): Row[] {
  const { home } = base;
  const files = changeableFiles(bench.tree);
  const wanted = bench.reduced ? GENERATIONS.reduced : GENERATIONS.full;
  const { generations } = JSON.parse(home.run("ls", "--json").stdout) as { generations: unknown[] };
  let count = generations.length;
  const stageOne = () => {
    changeFiles(files, `one of many: ${count}`);
    home.stage(bench.tree);
    count += 1;
  };
  const before = diskKib(home);
  for (let further = 0; further < MEASURED_ON_DISK; further += 1) stageOne();
  const each = (diskKib(home) - before) / MEASURED_ON_DISK;
  while (count < wanted && !bench.isOver()) stageOne();
  return [
    {
      kind: "absolute",
      operation: "disk of each further generation",
      unit: "%",
      value: (100 * each) / base.firstKib,
      atMost: DISK_PERCENT,
      note: `${files.length} files changed; ${Math.round(each)} of ${base.firstKib} KiB, folders and listing included`,
    },
    ...planRows(bench, base, count),
  ];
}

function planRows(bench: Bench, { home }: Base, count: number): Row[] {
  const dryRun = (...flags: string[]) => home.run("store", "gc", "--dry-run", ...flags, "--json").ms;
  const taken = takeTurns(
    bench,
    { live: () => dryRun(), dead: () => dryRun("--older-than", "0s") },
    { writes: false },
  );
  const row = (which: "live" | "dead", what: string): Row => ({
    kind: "absolute",
    operation: `gc plan, ${count} generations, ${what}`,
    unit: "ms",
    value: median(taken[which]),
    atMost: PLAN_MS,
    note: "whole process",
  });
  return [row("live", "all live"), row("dead", "all but the pinned dead")];
}
