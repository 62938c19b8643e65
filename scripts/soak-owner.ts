/**
 * Kills owner after owner of one scope under load, at each of its durability points and in between,
 * and compares what its clients were told with the ledger.
 *
 *   usage  npm run soak:owner [-- OPTIONS]
 *     --lives N        how many are killed; 300 where not said
 *     --hands N        clients that add, claim and finish; 8 where not said
 *     --folder PARENT  for the temporary project; the system's where not said
 *
 * Prints how long the scope was without service: with the next owner's program loaded beforehand,
 * and with one that its client starts. The exit code is 1 if anything was lost or doubled.
 */
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { createClient } from "../src/client/create-client.ts";
import { readCapability } from "../src/operations/scope/capability-file.ts";
import { readEndpoint } from "../src/operations/scope/endpoint.ts";
import type { ownerStart as OwnerStart } from "../src/operations/scope/owner-control.ts";
import { ownerStop } from "../src/operations/scope/owner-control.ts";
import type { ScopeRequest } from "../src/operations/scope/scope-place.ts";
import { type Life, liveThrough } from "../test/fixtures/owner-lives.ts";
import { faultsOfLoad, type Load, startLoad } from "../test/fixtures/owner-load.ts";
import { realPorts } from "../test/fixtures/owner-ports.ts";
import { type ScratchScope, withScratchScope } from "../test/fixtures/scratch-scope.ts";

const COLD_STARTS = 10;
// As it is shipped: an owner that starts from the sources spends half a second on reading them.
const BUILT = new URL("../dist/operations/scope/owner-control.js", import.meta.url).href;
const { ownerStart } = (await import(BUILT)) as { readonly ownerStart: typeof OwnerStart };

const { values } = parseArgs({
  options: {
    lives: { type: "string", default: "300" },
    hands: { type: "string", default: "8" },
    folder: { type: "string", default: tmpdir() },
  },
});

const ports = realPorts();
await withScratchScope({ parent: values.folder, ports }, killOwners);

async function killOwners({ request, name, layout }: ScratchScope): Promise<void> {
  const locate = () => readEndpoint(layout.endpoint)?.socket ?? null;
  const client = (capability = readCapability(layout.operatorKey, ports.uid)) =>
    createClient({ ...ports, locate, capability, patienceMs: 120_000, waitsForOwner: true });
  await ownerStart(request, ports);
  const load = await startLoad({ ids: ports.ids, client }, Number(values.hands));
  tell(`started by a client, under load: ${spread(await startCold(load, request))}`);
  await ownerStop(request, ports);
  const { lived, stop } = await liveThrough({ name, folders: request.folders }, lives(Number(values.lives)));
  await load.stop();
  const faults = [...(await faultsOfLoad(load, client()))];
  await stop();
  for (const { signal, stderr } of lived) {
    if (signal !== "SIGKILL" || stderr !== "") faults.push(`an owner ended by ${signal}: ${stderr}`);
  }
  for (const fault of faults) tell(`FAILED ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  tell(`loaded beforehand: ${spread(lived.flatMap(({ downMs }) => (downMs === null ? [] : [downMs])))}`);
  tell(`${lived.length} kills, ${load.told.length} commands told, ${faults.length} faults`);
}

/** At each point in turn, early and late, and every fourth from outside. */
function lives(count: number): readonly Life[] {
  const points = ["batch:begun", "batch:applied", "batch:committed"];
  return Array.from({ length: count }, (_, number) => {
    const point = points[number % 4];
    if (point === undefined) return { kill: null, killAfterMs: number % 97 };
    return { kill: { name: point, hit: 1 + ((number * 7) % 60) } };
  });
}

/** From the kill to the first answer that a command of the load gets from the next owner. */
async function startCold(load: Load, request: ScopeRequest): Promise<readonly number[]> {
  const spans: number[] = [];
  for (let time = 0; time < COLD_STARTS; time += 1) {
    const { owner } = await ownerStart(request, ports);
    await toldMore(load, 50);
    process.kill(owner.process.pid, "SIGKILL");
    const killedAt = performance.now();
    await ownerStart(request, ports);
    await toldMore(load, 1);
    spans.push(performance.now() - killedAt);
  }
  return spans;
}

async function toldMore({ told }: Load, more: number): Promise<void> {
  const wanted = told.length + more;
  while (told.length < wanted) await new Promise(setImmediate);
}

function spread(spans: readonly number[]): string {
  const sorted = spans.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `without service for ${at(0.5)} ms in the middle, ${at(1)} ms at most, of ${sorted.length}`;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
