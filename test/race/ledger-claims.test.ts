/** LEDGER-1 over the API: however many claim one task at one instant, one has it and all know who. */
import { expect, it } from "vitest";
import { ownerStart } from "../../src/operations/scope/owner-control.ts";
import { claimAtOnce, enrollClaimants } from "../fixtures/claim-trials.ts";
import { createOwnerWorld, stopAtEnd } from "../fixtures/owner-world.ts";

const CLAIMANTS = [2, 4, 8, 16, 32, 64];
/** Of each size: more than five hundred together. */
const TRIALS = 84;

it("of 2 to 64 clients that claim one task at one instant one has it, and the others are told who", async () => {
  const world = createOwnerWorld();
  stopAtEnd(world);
  await ownerStart(world.request, world.ports);
  const client = world.client();
  const all = await enrollClaimants({ client, clientOf: world.client, ids: world.ports.ids }, 64);
  const faults: string[] = [];
  for (const count of CLAIMANTS) {
    for (let trial = 0; trial < TRIALS; trial += 1) {
      // Another first each time, so that who is first on the list has no part in it.
      const claimants = [...all, ...all].slice(trial % 64, (trial % 64) + count);
      faults.push(...(await claimAtOnce(client, claimants)));
    }
  }
  expect(faults).toEqual([]);
});
