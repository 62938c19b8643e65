/** The owner is killed under load, again and again: nothing acknowledged is lost, nothing is done twice. */
import { expect, it } from "vitest";
import type { FollowedEvent } from "../../src/client/client.ts";
import { ownerStart } from "../../src/operations/scope/owner-control.ts";
import { createOwnerWorld, stopAtEnd } from "../fixtures/owner-world.ts";

const KILLS = 4;
const CLIENTS = 4;
const COMMANDS_BETWEEN = 25;

it("each command of each client is in the ledger once, and each event came to a follower once", async () => {
  const world = createOwnerWorld();
  const { request, ports } = world;
  stopAtEnd(world);
  let { owner } = await ownerStart(request, ports);
  const patience = { patienceMs: 60_000 };
  const follower = world.client(undefined, patience);
  const seen: FollowedEvent[] = [];
  const over = new AbortController();
  const following = follower.events({ after: 0, onEvent: (event) => seen.push(event), signal: over.signal });

  let acknowledged = 0;
  const isEnough = { value: false };
  const load = Array.from({ length: CLIENTS }, async (_, index) => {
    const client = world.client(undefined, patience);
    const titles: string[] = [];
    for (let number = 0; !isEnough.value; number += 1) {
      const title = `client ${index} task ${number}`;
      const added = await client.call<{ title: string }>("task add", { title, brief: { objective: "x" } });
      expect(added.title).toBe(title);
      titles.push(title);
      acknowledged += 1;
    }
    return titles;
  });
  const acknowledgedSince = async (before: number) => {
    while (acknowledged < before + COMMANDS_BETWEEN) await new Promise(setImmediate);
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    await acknowledgedSince(acknowledged);
    process.kill(owner.process.pid, "SIGKILL");
    const next = await ownerStart(request, ports);
    expect(next.owner.instance).toBe(owner.instance);
    ({ owner } = next);
  }
  await acknowledgedSince(acknowledged);
  isEnough.value = true;
  const titles = (await Promise.all(load)).flat();

  const added = await addedTitles(world.client());
  expect(added.toSorted()).toEqual(titles.toSorted());
  while (seen.filter(({ type }) => type === "task.added").length < titles.length) {
    await new Promise(setImmediate);
  }
  over.abort();
  await following;
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
});

interface Page {
  readonly events: readonly FollowedEvent[];
}

async function addedTitles(client: { call<Output>(name: string, input: unknown): Promise<Output> }) {
  const titles: string[] = [];
  for (let since = 0; ; ) {
    const { events } = await client.call<Page>("events", { since, limit: 500 });
    const last = events.at(-1);
    if (last === undefined) return titles;
    for (const { type, payload } of events) if (type === "task.added") titles.push(String(payload.title));
    since = last.seq;
  }
}
