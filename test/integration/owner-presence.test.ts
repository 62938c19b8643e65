/** What an owner that was away does before anything else: nobody loses what nobody could renew. */
import { expect, it } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { createOwnerWorld } from "../fixtures/owner-world.ts";

const HOUR_MS = 60 * 60 * 1000;

/** An owner whose machine sleeps when the test says so; it sweeps only as time really passes. */
async function onLaptop() {
  const world = createOwnerWorld();
  let slept = 0;
  let atNextLook = 0;
  const wall = () => Date.now() + slept;
  const clock = { now: wall };
  await world.start({
    clock,
    absence: {
      wall() {
        slept += atNextLook;
        atNextLook = 0;
        return wall();
      },
      monotonic: () => performance.now(),
      withSuspends: () => performance.now() + Math.abs(slept),
    },
  });
  const worker = world.client(await world.enroll("worker"), { clock });
  const other = world.client(await world.enroll("worker"), { clock });
  const { task } = await world
    .client(undefined, { clock })
    .call<{ task: string }>("task add", { title: "Held", brief: { objective: "x" } });
  const { fence } = await worker.call<{ fence: number }>("attempt claim", { task });
  return {
    world,
    worker,
    other,
    task,
    fence,
    operator: world.client(undefined, { clock }),
    sleep: (ms: number) => (slept += ms),
    /** As late as it can be noticed: a batch has its instant already. */
    sleepBeforeTheLook: (ms: number) => (atNextLook = ms),
  };
}

const causes = async (client: Client) => {
  const { events } = await client.call<{ events: { type: string; payload: { cause: string } }[] }>(
    "events",
    {},
  );
  return events.filter(({ type }) => type === "scope.fresh_term").map(({ payload }) => payload.cause);
};

it("the first command after an hour's sleep finds the lease held: a fresh term comes before it", async () => {
  const { other, worker, task, fence, operator, sleep } = await onLaptop();
  sleep(HOUR_MS);
  await expect(other.call("attempt claim", { task })).rejects.toMatchObject({
    code: "task_held",
    fields: { fence },
  });
  expect(await causes(operator)).toEqual(["owner_start", "host_suspended"]);
  expect(await worker.call("attempt finish", { task, fence, outcome: "completed" })).toMatchObject({
    state: "completed",
  });
});

it("a sleep between the instant of a batch and the look at the clocks is made good from its end on", async () => {
  const { other, task, fence, sleepBeforeTheLook } = await onLaptop();
  sleepBeforeTheLook(HOUR_MS);
  const claim = async () => await other.call("attempt claim", { task });
  await expect(claim()).rejects.toMatchObject({ code: "task_held", fields: { fence } });
  await expect(claim()).rejects.toMatchObject({ code: "task_held", fields: { fence } });
});

it("a clock that is set back an hour expires nothing and is made good once", async () => {
  const { other, task, operator, sleep } = await onLaptop();
  sleep(-HOUR_MS);
  await expect(other.call("attempt claim", { task })).rejects.toMatchObject({ code: "task_held" });
  await operator.call("task ls", {});
  expect(await causes(operator)).toHaveLength(2);
  const { alarms } = await operator.call<{ alarms: unknown[] }>("alarm ls", {});
  expect(alarms).toEqual([]);
});

it("an owner that was down for longer than a lease gives its holder a fresh term", async () => {
  const world = createOwnerWorld();
  const first = await world.start();
  const secret = await world.enroll("worker");
  const { task } = await world
    .client()
    .call<{ task: string }>("task add", { title: "Held", brief: { objective: "x" } });
  const { fence } = await world.client(secret).call<{ fence: number }>("attempt claim", { task });
  await first.stop("for an hour");
  const later = { now: () => Date.now() + HOUR_MS };
  await world.start({
    clock: later,
    absence: { wall: later.now, monotonic: () => performance.now(), withSuspends: () => null },
  });
  const other = world.client(await world.enroll("worker"), { clock: later });
  await expect(other.call("attempt claim", { task })).rejects.toMatchObject({
    code: "task_held",
    fields: { fence },
  });
});
