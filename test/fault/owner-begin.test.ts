/**
 * Promise: a first start, or a later one, that is cut off anywhere leaves a scope that the next start
 * begins or goes on with; what had begun stays what it was.
 *
 * What a killed process leaves is what its files hold at that moment, so a copy of the scope's folder,
 * taken by another program whenever the owner asks for the time, an id, or its store, is such a leftover.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { readCapability } from "../../src/operations/scope/capability-file.ts";
import { readEndpoint } from "../../src/operations/scope/endpoint.ts";
import { readScopeConfig } from "../../src/operations/scope/scope-config.ts";
import { scopeLayout } from "../../src/operations/scope/scope-layout.ts";
import type { OwnerDeps } from "../../src/owner/owner-deps.ts";
import { createOwnerWorld, type OwnerWorld } from "../fixtures/owner-world.ts";

/** Copies the state at each step that the owner takes through one of its ports. */
function photographing(world: OwnerWorld, images: string[]): Partial<OwnerDeps> {
  const { ports, request, layout } = world;
  const { state } = request.folders;
  const takeImage = () => {
    if (!existsSync(state)) return;
    const image = join(world.folder, `i${images.length}`);
    execFileSync("cp", ["-a", state, image]);
    images.push(image);
  };
  const before = <Arguments extends unknown[], Result>(act: (...args: Arguments) => Result) => {
    return (...args: Arguments) => {
      if (existsSync(layout.folder)) takeImage();
      return act(...args);
    };
  };
  return {
    clock: { now: before(ports.clock.now) },
    ids: { hex: before(ports.ids.hex) },
    failpoints: { hit: before(() => {}) },
    openStore: before(() => world.store),
  };
}

function clientAt({ client, name, ports }: OwnerWorld, state: string): Client {
  const layout = scopeLayout(state, name.scope);
  const locate = () => readEndpoint(layout.endpoint)?.socket ?? null;
  return client(readCapability(layout.operatorKey, ports.uid), { locate });
}

test("a start that is cut off at any step is made good by the next, first start and restart alike", async () => {
  const world = createOwnerWorld();
  const images: string[] = [];
  // The index of the store is one for all of them, and stays open.
  const openStore = () => ({ ...world.store, close() {} });
  const steps = { ...photographing(world, images), openStore };
  const first = await world.start(steps);
  const firstImages = images.length;
  const { instance } = first.descriptor();
  const { task } = await world.client().call<{ task: string }>("task add", {
    title: "Kept",
    brief: { objective: "x" },
  });
  await first.stop("to be started again");
  const restartedAt = images.length;
  const again = await world.start(steps);
  await again.stop("the end");
  expect(firstImages).toBeGreaterThan(8);
  expect(images.length - restartedAt).toBeGreaterThan(5);
  for (const [number, state] of images.entries()) {
    const layout = scopeLayout(state, world.name.scope);
    const begun = readScopeConfig(layout.config);
    const owner = await world.start({ state, openStore });
    if (begun !== null) expect(begun.instance, `step ${number}`).toBe(instance);
    if (begun !== null) expect(owner.descriptor().instance, `step ${number}`).toBe(instance);
    const { tasks } = await clientAt(world, state).call<{ tasks: { task: string }[] }>("task ls", {});
    if (number >= restartedAt) expect(tasks, `step ${number}`).toMatchObject([{ task }]);
    await owner.stop("looked at");
  }
});
