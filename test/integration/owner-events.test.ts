/** The feed as it is followed: from any number, across restarts, by readers that are slow or behind. */
import { connect } from "node:net";
import { expect, it } from "vitest";
import type { Client, FollowedEvent } from "../../src/client/client.ts";
import { openLedger } from "../../src/coordinator/ledger/open-ledger.ts";
import { createOwnerWorld, type OwnerWorld } from "../fixtures/owner-world.ts";

const addTasks = (client: Client, titles: readonly string[]) =>
  client.batch(
    titles.map((title) => ({ operation: "task add", input: { title, brief: { objective: "x" } } })),
  );

const titleOf = ({ payload }: FollowedEvent) => String(payload.title);

/** Follows until `until` says enough; the events seen, and the gaps told. */
async function follow(client: Client, after: number, until: (seen: readonly FollowedEvent[]) => boolean) {
  const seen: FollowedEvent[] = [];
  const gaps: unknown[] = [];
  const over = new AbortController();
  await client.events({
    after,
    onEvent(event) {
      seen.push(event);
      if (until(seen)) over.abort();
    },
    onGap: (gap) => gaps.push(gap),
    signal: over.signal,
  });
  return { seen, gaps };
}

const tasksIn = (seen: readonly FollowedEvent[]) => seen.filter(({ type }) => type === "task.added");

it("is told from the number on that a reader names, old events and new ones", async () => {
  const world = createOwnerWorld();
  await world.start();
  const client = world.client();
  await addTasks(client, ["a", "b"]);
  const { seen } = await follow(client, 0, (events) => tasksIn(events).length === 2);
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
  const last = seen.at(-1)?.seq ?? 0;
  const later = follow(client, last, (events) => events.length === 2);
  await addTasks(client, ["c", "d"]);
  expect((await later).seen.map(titleOf)).toEqual(["c", "d"]);
});

it("goes on over a restart of the owner, with each event once", async () => {
  const world = createOwnerWorld();
  const first = await world.start();
  const client = world.client();
  const following = follow(client, 0, (events) => tasksIn(events).length === 4);
  await addTasks(client, ["a", "b"]);
  await first.stop("restart");
  await world.start();
  await addTasks(client, ["c", "d"]);
  const { seen } = await following;
  expect(tasksIn(seen).map(titleOf)).toEqual(["a", "b", "c", "d"]);
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
});

it("tells a reader which events between are no longer kept", async () => {
  const world = createOwnerWorld();
  const first = await world.start();
  await addTasks(world.client(), ["a", "b", "c"]);
  const { instance } = first.descriptor();
  await first.stop("to take events away");
  const db = openLedger({ path: world.layout.ledger, instance });
  db.exec("DELETE FROM event WHERE seq <= 5");
  db.close();
  await world.start();
  const { seen, gaps } = await follow(world.client(), 2, (events) => events.length === 1);
  expect(gaps).toEqual([{ after: 2, first: 6 }]);
  expect(seen[0]?.seq).toBe(6);
});

it("tells a reader whose number is ahead of the feed, and goes on from the feed's own end", async () => {
  const world = createOwnerWorld();
  const first = await world.start();
  const client = world.client();
  await addTasks(client, ["a"]);
  const { events } = await client.call<{ events: { seq: number }[] }>("events", {});
  const newest = events.at(-1)?.seq ?? 0;
  let isTold = () => {};
  const told = new Promise<void>((resolve) => {
    isTold = resolve;
  });
  const heard: number[] = [];
  const gaps: unknown[] = [];
  const over = new AbortController();
  const following = client.events({
    after: 1_000_000,
    onEvent: ({ seq, type }) => type === "task.added" && heard.push(seq) === 2 && over.abort(),
    onGap(gap) {
      gaps.push(gap);
      isTold();
    },
    signal: over.signal,
  });
  await told;
  await addTasks(client, ["b"]);
  // The number that it goes on from is the feed's, also at the next owner.
  await first.stop("restart");
  await world.start();
  await addTasks(client, ["c"]);
  await following;
  expect(gaps).toEqual([{ after: 1_000_000, first: newest + 1 }]);
  expect(heard).toHaveLength(2);
  expect(heard[0]).toBe(newest + 1);
});

it("serves others while a reader reads nothing, and that one gets all in the end", async () => {
  const world = createOwnerWorld();
  await world.start();
  const stuck = connect(world.layout.socket);
  stuck.pause();
  stuck.write(
    `GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.operatorKey()}\r\nlast-event-id: 0\r\n\r\n`,
  );
  const client = world.client();
  const names = Array.from({ length: 6000 }, (_, index) => `${index} ${"x".repeat(150)}`);
  for (let from = 0; from < names.length; from += 64) await addTasks(client, names.slice(from, from + 64));
  let heard = "";
  const all = new Promise<void>((resolve) => {
    stuck.setEncoding("utf8").on("data", (text: string) => {
      heard += text;
      if (heard.includes(`"title":"5999 `)) resolve();
    });
  });
  stuck.resume();
  await all;
  stuck.destroy();
  const numbers = [...heard.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers.length).toBeGreaterThan(6000);
});

it("is refused to who proves nothing, and for what is no number", async () => {
  const world = createOwnerWorld();
  await world.start();
  const ask = async (parts: Partial<Parameters<OwnerWorld["http"]>[0]>) => {
    const { status, body } = await world.http({ method: "GET", path: "/v1/events", ...parts });
    return `${status} ${body.code}`;
  };
  expect(await ask({ capability: null })).toBe("401 unauthorized");
  expect(await ask({ headers: { "last-event-id": "-1" } })).toBe("400 invalid_input");
  expect(await ask({ path: "/v1/events?after=x" })).toBe("400 invalid_input");
});
