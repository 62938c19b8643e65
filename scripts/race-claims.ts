/**
 * Claims of one task by 2 to 64 processes of the built command line at once, again and again: each
 * time one must win, and all others must be told its holder and fence.
 *
 *   usage   npm run race:claims [-- --trials N] [--widest N]     default: 20 of each width, to 64
 *   exit    0 only if that was so each time
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { enrollWorkers, raceFaults, raceForTask } from "../test/fixtures/claim-race.ts";
import { createCliWorld } from "../test/fixtures/cli-world.ts";

const { values } = parseArgs({
  options: { trials: { type: "string", default: "20" }, widest: { type: "string", default: "64" } },
});
const trials = Number(values.trials);
const widest = Number(values.widest);
const START = join(import.meta.dirname, "../bin/start.cjs");

const world = createCliWorld();
let faults = 0;
try {
  const keys = enrollWorkers(world, widest);
  for (let width = 2; width <= widest; width *= 2) {
    const began = Date.now();
    for (let trial = 0; trial < trials; trial += 1) {
      const outcome = await raceForTask(world, keys.slice(0, width), [process.execPath, START]);
      for (const fault of raceFaults(outcome)) {
        faults += 1;
        console.error(`${width} processes, trial ${trial}: ${fault}`);
      }
    }
    console.log(`${width} processes: ${trials} trials, ${Date.now() - began} ms`);
  }
} finally {
  world.remove();
}
console.log(`${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;
