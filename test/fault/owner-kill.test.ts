/**
 * Promise: whenever the owner dies, at each of its durability points and between them, its clients
 * see a pause and nothing else: what they were told stays true, and nothing is done twice.
 *
 * `npm run soak:owner` does the same over hundreds of lives.
 */
import { expect, test } from "vitest";
import { type Life, liveThrough } from "../fixtures/owner-lives.ts";
import { faultsOfLoad, startLoad } from "../fixtures/owner-load.ts";
import { createOwnerWorld } from "../fixtures/owner-world.ts";

const PATIENT = { patienceMs: 120_000, waitsForOwner: true };

test("an owner killed fifteen times at its durability points under load has lost and doubled nothing", async () => {
  const world = createOwnerWorld();
  const { name, request, ports } = world;
  // The first hits are those of its own start: a life may end before it served.
  const lives: Life[] = Array.from({ length: 5 }, (_, number) => [
    { kill: { name: "batch:begun", hit: 1 + 3 * number } },
    { kill: { name: "batch:applied", hit: 1 + 4 * number } },
    { kill: { name: "batch:committed", hit: 1 + 5 * number } },
  ]).flat();
  const first = await liveThrough({ name, folders: request.folders }, []);
  const client = (capability?: string) => world.client(capability, PATIENT);
  const load = await startLoad({ ids: ports.ids, client }, 6);
  await first.stop();
  const { lived, stop } = await liveThrough({ name, folders: request.folders }, lives);
  const killed = load.told.length;
  while (load.told.length < killed + 50) await new Promise(setImmediate);
  await load.stop();
  try {
    expect(lived.map(({ signal }) => signal)).toEqual(lives.map(() => "SIGKILL"));
    expect(lived.map(({ stderr }) => stderr).join("")).toBe("");
    expect(load.told.length).toBeGreaterThan(lives.length * 5);
    // Loosely: the machine may be busy with others. What it is on an idle one the soak tells.
    const downs = lived.flatMap(({ downMs }) => (downMs === null ? [] : [downMs])).toSorted((a, b) => a - b);
    expect(downs[Math.floor(downs.length / 2)]).toBeLessThan(1_000);
    expect(await faultsOfLoad(load, world.client())).toEqual([]);
  } finally {
    await stop();
  }
});
