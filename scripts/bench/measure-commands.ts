/** How commands start: whole processes beside a bare Node that does nothing, with many generations there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { compare } from "./compare.ts";
import { openLibrary } from "./open-library.ts";
import type { Row } from "./row.ts";
import { runTimed } from "./run-timed.ts";
import { createHome, INTERPRETER } from "./swarm-gen.ts";

const GENERATIONS = { full: 1000, reduced: 60 };
const ROUNDS = { full: 40, reduced: 10 };

export async function measureCommands(bench: Bench): Promise<Row[]> {
  const home = createHome(bench.fresh("home"));
  const { count, last } = await stageMany(bench, home.folder);
  const bare = () => runTimed(INTERPRETER, ["-e", "0"]).ms;
  const commands: readonly (readonly [args: readonly string[], atMost: number])[] = [
    [["--help"], 2],
    [["ls", "--json"], 4],
    [["why", last, "--json"], 4],
  ];
  return commands.flatMap(([args, atMost]) =>
    compare(bench, {
      operation: args[0] === "--help" ? "--help" : `${args[0]}, ${count} generations`,
      ours: () => home.run(...args).ms,
      others: [{ against: "node -e 0", run: bare, atMost }],
      rounds: bench.reduced ? ROUNDS.reduced : ROUNDS.full,
      writes: false,
    }),
  );
}

async function stageMany(bench: Bench, home: string): Promise<{ count: number; last: string }> {
  const wanted = bench.reduced ? GENERATIONS.reduced : GENERATIONS.full;
  const source = bench.fresh("one-file");
  mkdirSync(source);
  const store = openLibrary(home);
  try {
    let last = "";
    let count = 0;
    while (count < wanted && (count === 0 || !bench.isOver())) {
      writeFileSync(join(source, "file"), `content ${count}`);
      last = (await store.stage({ source, bare: true, name: "bench" })).generation;
      count += 1;
    }
    return { count, last };
  } finally {
    store.close();
  }
}
