/** The built command on a home of its own, as a user starts it: launcher, interpreter and all. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runTimed, type Timed } from "./run-timed.ts";

const CHECKOUT = new URL("../..", import.meta.url).pathname;
const COMMAND = join(CHECKOUT, "bin/swarm-gen");
const RECORDER = join(CHECKOUT, "scripts/bench/record-peak-memory.mjs");
const PINNED = join(CHECKOUT, "node_modules/node/bin/node");
/** The one that the launcher takes in a checkout; also the bare Node that commands are compared with. */
export const INTERPRETER = existsSync(PINNED) ? PINNED : process.execPath;

export interface Home {
  readonly folder: string;
  run(...args: string[]): Timed;
  /** Stages a folder whole. */
  stage(tree: string): Staged;
  /** The same, with the most memory that the process ever had resident, in MB. */
  stageForMemory(tree: string): { readonly peakMb: number };
}

export interface Staged {
  readonly ms: number;
  readonly generation: string;
  readonly isNew: boolean;
}

export function createHome(folder: string): Home {
  mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: folder, SWARM_GEN_HOME: folder };
  const run = (...args: string[]) => runTimed(COMMAND, args, { env });
  return {
    folder,
    run,
    stage(tree) {
      const { ms, stdout } = run("stage", tree, "--bare", "--name", "bench", "--json");
      const { generation, new: isNew } = JSON.parse(stdout) as { generation: string; new: boolean };
      return { ms, generation, isNew };
    },
    stageForMemory(tree) {
      const file = join(folder, "peak-memory");
      const main = join(CHECKOUT, "bin/start.cjs");
      // The flag is the launcher's; the launcher itself would leave no room for the recorder.
      const args = [
        "--max-semi-space-size=2",
        "--import",
        RECORDER,
        main,
        "stage",
        tree,
        "--bare",
        "--name",
        "bench",
        "--json",
      ];
      runTimed(INTERPRETER, args, { env: { ...env, BENCH_PEAK_FILE: file } });
      return { peakMb: Number(readFileSync(file, "utf8")) / 1024 };
    },
  };
}
