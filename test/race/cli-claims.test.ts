import { afterAll, beforeAll, expect, it } from "vitest";
import { enrollWorkers, raceFaults, raceForTask } from "../fixtures/claim-race.ts";
import { type CliWorld, createCliWorld, MAIN } from "../fixtures/cli-world.ts";

let world: CliWorld;
let keys: string[];

beforeAll(() => {
  world = createCliWorld();
  keys = enrollWorkers(world, 16);
}, 60_000);

afterAll(() => world.remove());

// `npm run race:claims` has more trials, and as many as 64 at once.
it.each([2, 4, 8, 16])(
  "of %i processes that claim one task, one wins; all others are told its holder and fence",
  async (count) => {
    const outcome = await raceForTask(world, keys.slice(0, count), [process.execPath, MAIN]);
    expect(outcome.losers).toHaveLength(count - 1);
    expect(raceFaults(outcome)).toEqual([]);
  },
  120_000,
);
