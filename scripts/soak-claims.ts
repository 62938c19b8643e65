/**
 * Many claim one task at one instant, through the API; exactly one may have it, and the others
 * must be told who has it (LEDGER-1). `npm run race:claims` does so through the command line.
 *
 *   usage  npm run soak:claims [-- OPTIONS]
 *     --trials N       of all sizes together; 10000 where not said
 *     --most N         the largest number of claimants, at most 64
 *     --folder PARENT  for the temporary project; the system's where not said
 *
 * Sizes are 2, 4, 8, 16, 32 and 64. The exit code is 1 if anything went wrong.
 */
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { createClient } from "../src/client/create-client.ts";
import { readCapability } from "../src/operations/scope/capability-file.ts";
import { readEndpoint } from "../src/operations/scope/endpoint.ts";
import { ownerStart } from "../src/operations/scope/owner-control.ts";
import { claimAtOnce, enrollClaimants } from "../test/fixtures/claim-trials.ts";
import { realPorts } from "../test/fixtures/owner-ports.ts";
import { type ScratchScope, withScratchScope } from "../test/fixtures/scratch-scope.ts";

const SIZES = [2, 4, 8, 16, 32, 64];

const { values } = parseArgs({
  options: {
    trials: { type: "string", default: "10000" },
    most: { type: "string", default: "64" },
    folder: { type: "string", default: tmpdir() },
  },
});

const ports = realPorts();
await withScratchScope({ parent: values.folder, ports }, raceClaims);

async function raceClaims({ request, layout }: ScratchScope): Promise<void> {
  await ownerStart(request, ports);
  const locate = () => readEndpoint(layout.endpoint)?.socket ?? null;
  const clientOf = (capability: string) => createClient({ ...ports, locate, capability });
  const world = { client: clientOf(readCapability(layout.operatorKey, ports.uid)), clientOf, ids: ports.ids };
  const sizes = SIZES.filter((size) => size <= Number(values.most));
  const claimants = await enrollClaimants(world, Math.max(...sizes));
  for (const size of sizes) {
    await runTrials({ size, trials: Math.ceil(Number(values.trials) / sizes.length) }, (trial) =>
      claimAtOnce(world.client, rotated(claimants, trial).slice(0, size)),
    );
  }
}

async function runTrials(
  { size, trials }: { readonly size: number; readonly trials: number },
  tryOnce: (trial: number) => Promise<readonly string[]>,
): Promise<void> {
  const before = performance.now();
  const faults: string[] = [];
  for (let trial = 0; trial < trials; trial += 1) faults.push(...(await tryOnce(trial)));
  const seconds = ((performance.now() - before) / 1000).toFixed(1);
  for (const fault of faults) process.stdout.write(`FAILED ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
  process.stdout.write(`${trials} trials of ${size} claimants, ${faults.length} faults, ${seconds} s\n`);
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
