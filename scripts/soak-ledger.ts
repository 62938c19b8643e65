/**
 * The simulation of the ledger for as long as one likes: seeds one after another, each a world of
 * its own, every invariant after every step.
 *
 *   node scripts/soak-ledger.ts [--seeds 1-200 | --seeds 7] [--steps 3000] [--hashes]
 *                               [--trace] [--faults 'full disk,stalled owner'] [--workers 4] [--no-launches]
 *
 * --hashes prints each seed's trace as a digest, so that two machines or two versions of Node can be
 * compared. A breach prints the seed, a smaller plan and its command; the exit code is then 1.
 */
import { parseArgs } from "node:util";
import { FAULTS } from "../test/fixtures/sim/faults.ts";
import { runSeeds } from "../test/fixtures/sim/run-seeds.ts";
import { simulate } from "../test/fixtures/sim/simulate.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1-200" },
    steps: { type: "string", default: "3000" },
    hashes: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    faults: { type: "string" },
    workers: { type: "string" },
    "no-launches": { type: "boolean", default: false },
  },
});

const [from = 1, to = from] = values.seeds.split("-").map(Number);
const steps = Number(values.steps);
const named = values.faults?.split(",");
const more = {
  faults: named === undefined ? undefined : FAULTS.filter((fault) => named.includes(fault)),
  workers: values.workers === undefined ? undefined : Number(values.workers),
  hasLaunches: !values["no-launches"],
};
const say = (line: string) => process.stdout.write(`${line}\n`);

if (values.trace) {
  const { breach, hash } = await simulate({ ...more, seed: from, steps, onLine: say });
  say(`${hash} ${breach === null ? "no breach" : breach.what.join("; ")}`);
  process.exitCode = breach === null ? 0 : 1;
} else {
  const began = performance.now();
  const result = await runSeeds({ from, count: to - from + 1, steps }, more);
  for (const failure of result.failures) say(`FAILED ${failure}`);
  if (values.hashes) for (const [seed, hash] of Object.entries(result.hashes)) say(`${seed} ${hash}`);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  // Two runs are compared by their digests; how long one took differs.
  if (!values.hashes)
    say(
      `${result.steps} steps, ${Object.keys(result.hashes).length} seeds, ${result.failures.length} breaches, ${seconds} s`,
    );
  if (result.failures.length > 0) process.exitCode = 1;
}
