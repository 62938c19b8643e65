/** What passes by itself: a restart, a ledger that another program keeps busy; and what must not grow. */
import { spawn } from "node:child_process";
import { globSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { CATALOGUE, CodedError } from "../../src/kernel/errors.ts";
import { ownerStart, ownerStop } from "../../src/operations/scope/owner-control.ts";
import { createOwnerWorld, stopAtEnd } from "../fixtures/owner-world.ts";

const ADD = { title: "Added", brief: { objective: "x" } };

it("a call during a restart is told a transient refusal if it does not wait, and is done if it does (X37)", async () => {
  const world = createOwnerWorld();
  const { request, ports } = world;
  stopAtEnd(world);
  await ownerStart(request, ports);
  const patient = world.client();
  await patient.descriptor();
  const isUp = { value: false };
  const refusals = new Set<string>();
  let done = 0;
  const hasty = async () => {
    while (!isUp.value) {
      const client = world.client(undefined, { patienceMs: 0 });
      try {
        await client.call("task ls", {});
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        refusals.add(error.code);
      }
      client.close();
    }
  };
  const waiting = async () => {
    while (!isUp.value) {
      await patient.call("task add", ADD);
      done += 1;
    }
    // Once more: the one before may have been the old owner's.
    await patient.call("task add", ADD);
    done += 1;
  };
  const restart = async () => {
    for (let time = 0; time < 2; time += 1) {
      await ownerStop(request, ports);
      await ownerStart(request, ports);
    }
    isUp.value = true;
  };
  await Promise.all([restart(), hasty(), waiting()]);
  const transient = [...refusals].filter((code) => CATALOGUE[code as keyof typeof CATALOGUE].retryable);
  expect(refusals.size).toBeGreaterThan(0);
  expect(transient).toEqual([...refusals]);
  const { tasks } = await patient.call<{ tasks: unknown[] }>("task ls", { limit: 500 });
  expect(tasks).toHaveLength(done);
});

it("a call while nobody comes back ends in owner_unavailable when its patience does", async () => {
  const world = createOwnerWorld();
  const owner = await world.start();
  const client = world.client(undefined, { patienceMs: 300 });
  await client.descriptor();
  await owner.stop("the test");
  const began = performance.now();
  await expect(client.call("task add", ADD)).rejects.toMatchObject({ code: "owner_unavailable" });
  expect(performance.now() - began).toBeGreaterThan(250);
  expect(performance.now() - began).toBeLessThan(3_000);
});

const HOLDER = fileURLToPath(new URL("../fixtures/hold-write-lock-child.ts", import.meta.url));

it("a ledger that another program keeps busy is busy, never damaged, and commands are done after it (P9)", async () => {
  const world = createOwnerWorld();
  await world.start();
  const { layout, commandId, http } = world;
  const holder = spawn(process.execPath, [HOLDER, layout.ledger], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => holder.on("close", resolve));
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  const headers = { "swarm-gen-command": commandId() };
  const began = performance.now();
  const refused = await http({ path: "/v1/task.add", body: ADD, headers });
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(refused).toMatchObject({
    status: CATALOGUE.overloaded.http,
    body: { code: "overloaded", retryable: true },
  });
  expect(refused.body.message).not.toMatch(/damage|corrupt/i);
  expect((await http({ path: "/v1/task.ls", body: {} })).body).toMatchObject({ tasks: [] });
  holder.stdin.end();
  await ended;
  expect((await http({ path: "/v1/task.add", body: ADD, headers })).status).toBe(200);
  expect((await http({ path: "/v1/task.ls", body: {} })).body.tasks).toHaveLength(1);
  expect(readFileSync(layout.log, "utf8")).not.toMatch(/damage|corrupt/i);
});

it("a thousand looks and a thousand cancels start no process and keep no file open (X17)", async ({
  skip,
}) => {
  if (process.platform !== "linux") skip("only Linux lists processes and open files below /proc");
  const world = createOwnerWorld();
  const { request, ports, folder } = world;
  stopAtEnd(world);
  const { owner } = await ownerStart(request, ports);
  const client = world.client();
  const { task } = await client.call<{ task: string }>("task add", ADD);
  const processes = () =>
    globSync("/proc/[0-9]*/cwd").filter((path) => {
      try {
        return readlinkSync(path).startsWith(folder);
      } catch {
        return false;
      }
    }).length;
  const openFiles = () => readdirSync(`/proc/${owner.process.pid}/fd`).length;
  await client.call("status", {});
  const before = { processes: processes(), openFiles: openFiles() };
  for (let time = 0; time < 1_000; time += 4) {
    const looks = Array.from({ length: 4 }, () => client.call("status", {}));
    const cancels = Array.from({ length: 4 }, () => client.call("task cancel", { task }));
    await Promise.all([...looks, ...cancels]);
  }
  expect({ processes: processes(), openFiles: openFiles() }).toEqual(before);
  expect(before.processes).toBe(1);
});
