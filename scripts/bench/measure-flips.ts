/**
 * Activation and rollback through the library, in this process, durable: p50 and p99 of many.
 *
 * Beside each flip, in turn, what it cannot do without on this disk: one row committed by SQLite
 * with its log flushed, and a link renamed into a folder that is then flushed.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { GenerationId } from "../../src/store/identity/object-id.ts";
import type { Store } from "../../src/store/store.ts";
import type { Base } from "./base.ts";
import { type Bench, takeTurns } from "./bench.ts";
import { changeableFiles, changeFiles } from "./make-tree.ts";
import { openLibrary } from "./open-library.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

const FLIPS = 200;
const TARGET_MS = 2;

export async function measureFlips(bench: Bench, base: Base): Promise<Row[]> {
  changeFiles(changeableFiles(bench.tree), "for another generation to flip to");
  const { generation } = base.home.stage(bench.tree);
  const large = openLibrary(base.home.folder);
  const small = openLibrary(bench.fresh("home"));
  try {
    const pair = [await stageOneFile(bench, small, "a"), await stageOneFile(bench, small, "b")] as const;
    const largePair = [base.generation as GenerationId, generation as GenerationId] as const;
    return [
      ...flipRows(bench, small, pair, "generations of one file"),
      ...flipRows(bench, large, largePair, "generations of the whole tree"),
    ];
  } finally {
    small.close();
    large.close();
  }
}

async function stageOneFile(bench: Bench, store: Store, content: string): Promise<GenerationId> {
  const source = bench.fresh("one-file");
  mkdirSync(source);
  writeFileSync(join(source, "file"), content);
  return (await store.stage({ source, bare: true, name: "bench" })).generation;
}

function flipRows(
  bench: Bench,
  store: Store,
  pair: readonly [GenerationId, GenerationId],
  of: string,
): Row[] {
  const profile = "bench";
  const by = "benchmark";
  const timed = (act: () => { readonly changed: boolean }) => {
    const startedAt = performance.now();
    const { changed } = act();
    const ms = performance.now() - startedAt;
    if (!changed) throw new Error("a flip changed nothing");
    return ms;
  };
  const bare = createBareCommit(bench.fresh("bare"));
  const options = { rounds: FLIPS, writes: false };
  // Once before, so that there is something to go back to at the very end of the rollbacks.
  store.activate({ profile, by, generation: pair[1] });
  const activations = takeTurns(
    bench,
    {
      ours: (round) =>
        timed(() => store.activate({ profile, by, generation: pair[round % 2] as GenerationId })),
      bare: bare.commit,
    },
    options,
  );
  const rollbacks = takeTurns(
    bench,
    { ours: () => timed(() => store.rollback({ profile, by })), bare: bare.commit },
    options,
  );
  bare.close();
  return [
    ...rowsOf(`activate, ${of}`, activations.ours, activations.bare),
    ...rowsOf(`rollback, ${of}`, rollbacks.ours, rollbacks.bare),
  ];
}

function rowsOf(operation: string, oursMs: readonly number[], theirsMs: readonly number[]): Row[] {
  const note = `p50 of ${oursMs.length}; p99 ${quantile(oursMs, 0.99).toFixed(2)} ms`;
  return [
    { kind: "absolute", operation, unit: "ms", value: quantile(oursMs, 0.5), atMost: TARGET_MS, note },
    { kind: "compared", operation, against: "bare commit and flush", oursMs, theirsMs, atMost: null },
  ];
}

function createBareCommit(folder: string) {
  mkdirSync(folder);
  const db = new Database(join(folder, "bare.sqlite"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec("CREATE TABLE flip (number INTEGER PRIMARY KEY, target TEXT NOT NULL) STRICT");
  const insert = db.prepare("INSERT INTO flip (target) VALUES (?)");
  return {
    commit(round: number): number {
      const startedAt = performance.now();
      insert.run(`target ${round}`);
      symlinkSync(`target-${round}`, join(folder, "next"));
      renameSync(join(folder, "next"), join(folder, "current"));
      const descriptor = openSync(folder, "r");
      fsyncSync(descriptor);
      closeSync(descriptor);
      return performance.now() - startedAt;
    },
    close: () => void db.close(),
  };
}
