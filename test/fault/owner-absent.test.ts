/** An owner that was stopped for longer than a lease, and mail of which most is lost: through the real owner. */
import { expect, it } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { ownerStart } from "../../src/operations/scope/owner-control.ts";
import { type Claimant, enrollClaimants } from "../fixtures/claim-trials.ts";
import { createRandom } from "../fixtures/nearly-valid.ts";
import { realTimers } from "../fixtures/owner-ports.ts";
import { createOwnerWorld, stopAtEnd } from "../fixtures/owner-world.ts";

const LEASE_MS = 2_000;
/** More than three leases, and more than an owner takes for its own slowness. */
const STOPPED_MS = 6_500;

async function shortLeases(operator: Client, ms: number): Promise<void> {
  for (const key of ["task.lease", "inbox.lease", "task.progress-timeout"]) {
    await operator.call("settings set", { key, value: ms });
  }
}

it("a process that is stopped for three leases expires none, raises no alarm, and says that it was away", async () => {
  const world = createOwnerWorld();
  const { request, ports } = world;
  stopAtEnd(world);
  const { owner } = await ownerStart(request, ports);
  const operator = world.client();
  const worker = world.client(await world.enroll("worker"));
  const other = world.client(await world.enroll("worker"));
  await shortLeases(operator, LEASE_MS);
  const { task } = await operator.call<{ task: string }>("task add", {
    title: "Held",
    brief: { objective: "x" },
  });
  const { fence, actor } = await worker.call<{ fence: number; actor: string }>("attempt claim", { task });
  await operator.call("inbox send", { to: [actor], body: "x" });
  const { envelope } = await worker.call<{ envelope: { message: string; leaseToken: string } }>(
    "inbox fetch",
    {},
  );
  const { message, leaseToken } = envelope;
  process.kill(owner.process.pid, "SIGSTOP");
  const until = performance.now() + STOPPED_MS;
  while (performance.now() < until) await new Promise(setImmediate);
  process.kill(owner.process.pid, "SIGCONT");
  await expect(other.call("attempt claim", { task })).rejects.toMatchObject({
    code: "task_held",
    fields: { fence },
  });
  expect(await worker.call("attempt renew", { task, fence })).toMatchObject({ state: "running" });
  expect(await worker.call("inbox ack", { message, leaseToken })).toMatchObject({ state: "acknowledged" });
  expect(await operator.call("alarm ls", {})).toMatchObject({ alarms: [] });
  const { events } = await operator.call<{ events: { payload: { cause?: string } }[] }>("events", {
    limit: 500,
  });
  expect(events.flatMap(({ payload }) => payload.cause ?? [])).toEqual(["owner_start", "owner_stalled"]);
});

/** Twenty times as fast as ours, for the owner and for its clients alike. */
function hastened() {
  const [wallBegan, began] = [Date.now(), performance.now()];
  const ran = () => (performance.now() - began) * 20;
  const wall = () => Math.floor(wallBegan + ran());
  return {
    clock: { now: wall },
    absence: { wall, monotonic: ran, withSuspends: () => null },
    timers: {
      monotonicNow: ran,
      after: (ms: number, callback: () => void) => realTimers.after(ms / 20, callback),
    },
  };
}

interface Fetched {
  readonly envelope: { readonly message: string; readonly leaseToken: string; readonly body: string } | null;
}

interface Delivered {
  readonly message: string;
  readonly state: string;
  readonly attempt: number;
}

const MESSAGES = 8;

it("with 70 % of all deliveries lost each message ends processed or visibly dead, and no work is done twice", async () => {
  const world = createOwnerWorld();
  const { clock, ...fast } = hastened();
  await world.start({ clock, ...fast });
  const clientOf = (secret?: string) => world.client(secret, { clock });
  const operator = clientOf();
  const workers = await enrollClaimants({ client: operator, clientOf, ids: world.ports.ids }, 6);
  const settings = {
    "inbox.lease": 2_000,
    "inbox.backoff": 100,
    "inbox.backoff-most": 400,
    "inbox.attempts": 3,
  };
  for (const [key, value] of Object.entries(settings)) await operator.call("settings set", { key, value });
  const to = workers.map(({ actor }) => actor);
  for (let number = 0; number < MESSAGES; number += 1)
    await operator.call("inbox send", { to, body: `${number}` });
  const random = createRandom(7);
  let lost = 0;
  const finish = async ({ client, actor }: Claimant) => {
    const done: string[] = [];
    for (;;) {
      const deliveries = await settled(operator, actor);
      if (deliveries.length === MESSAGES) return { done, deliveries };
      const { envelope } = await client.call<Fetched>("inbox fetch", {});
      if (envelope === null) continue;
      const { message, leaseToken } = envelope;
      // One of them kills whoever takes it.
      const fate = envelope.body === "0" ? 0 : random();
      // Half of what is lost is lost before the work, half between the work and its acknowledgement.
      if (fate < 0.35) await untilExpired(client, envelope);
      else {
        done.push(message);
        await client.call("inbox processed", { message });
        // It may come too late where this machine is slow; then it is lost like the others.
        if (fate >= 0.7)
          await client.call("inbox ack", { message, leaseToken }).catch(refusedAs("stale_delivery"));
        else await untilExpired(client, envelope);
      }
      if (fate < 0.7) lost += 1;
    }
  };
  const ended = await Promise.all(workers.map(finish));
  for (const { done, deliveries } of ended) {
    // Nothing twice, all that was done is acknowledged, and what is dead had its attempts.
    const acknowledged = deliveries.filter(({ state }) => state === "acknowledged");
    expect(done.toSorted()).toEqual(acknowledged.map(({ message }) => message).toSorted());
    for (const { state, attempt } of deliveries) if (state === "dead") expect(attempt).toBe(3);
  }
  expect(lost).toBeGreaterThan(20);
  expect(new Set(ended.flatMap(({ deliveries }) => deliveries.map(({ state }) => state)))).toEqual(
    new Set(["acknowledged", "dead"]),
  );
});

async function settled(operator: Client, recipient: string): Promise<readonly Delivered[]> {
  const ended: Delivered[] = [];
  for (const state of ["acknowledged", "dead"]) {
    const page = await operator.call<{ deliveries: Delivered[] }>("inbox ls", { recipient, state });
    ended.push(...page.deliveries);
  }
  return ended;
}

const refusedAs = (code: string) => (error: unknown) => expect(error).toMatchObject({ code });

/** The worker is gone; its successor finds that the lease has run out. */
async function untilExpired(client: Client, { leaseToken }: { readonly leaseToken: string }): Promise<void> {
  for (;;) {
    const { envelope } = await client.call<Fetched>("inbox fetch", {});
    if (envelope?.leaseToken !== leaseToken) return;
  }
}
