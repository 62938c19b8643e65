/** The most memory that a stage ever has resident, for trees of several sizes: it should not grow with them. */
import type { Bench } from "./bench.ts";
import { countTree, makeTree } from "./make-tree.ts";
import type { Row } from "./row.ts";
import { createHome } from "./swarm-gen.ts";

const SIZES = { full: [1_000, 10_000, 100_000], reduced: [1_000] };
const JUDGED_FROM_FILES = 34_000;
const TARGET_MB = 180;

export function measureMemory(bench: Bench, material: string): Row[] {
  const rows: { readonly files: number; readonly rows: Row[] }[] = [];
  const measure = (tree: string, files: number) => rows.push({ files, rows: peaksOf(bench, tree, files) });
  measure(bench.tree, countTree(bench.tree).files);
  for (const files of bench.reduced ? SIZES.reduced : SIZES.full) {
    if (bench.isOver()) {
      rows.push({ files, rows: [notMeasured(files)] });
      continue;
    }
    const tree = bench.fresh("tree");
    makeTree({ from: material, to: tree, files, largeFiles: false });
    measure(tree, files);
  }
  return rows.toSorted((a, b) => a.files - b.files).flatMap((size) => size.rows);
}

function peaksOf(bench: Bench, tree: string, files: number): Row[] {
  const home = createHome(bench.fresh("home"));
  const atMost = files >= JUDGED_FROM_FILES ? TARGET_MB : null;
  return ["first stage", "unchanged stage"].map((operation) => ({
    kind: "absolute",
    operation: `peak memory, ${operation}, ${files} files`,
    unit: "MB",
    value: home.stageForMemory(tree).peakMb,
    atMost,
  }));
}

function notMeasured(files: number): Row {
  return { kind: "not-measured", operation: `peak memory, ${files} files`, against: "", why: "out of time" };
}
