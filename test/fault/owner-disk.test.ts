/** A disk that is full under load: nobody is told what was rolled back, and all goes on once there is room. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { readCapability } from "../../src/operations/scope/capability-file.ts";
import { readEndpoint } from "../../src/operations/scope/endpoint.ts";
import { scopeLayout } from "../../src/operations/scope/scope-layout.ts";
import { faultsOfLoad, startLoad } from "../fixtures/owner-load.ts";
import { createOwnerWorld, type OwnerWorld } from "../fixtures/owner-world.ts";
import { fillDisk, mountSmallDisk } from "../fixtures/small-disk.ts";

const FULL_TIMES = 20;

/** The operator and others, of an owner whose state stands elsewhere than the world's. */
function clientsOf({ client, name, ports }: OwnerWorld, state: string) {
  const layout = scopeLayout(state, name.scope);
  const locate = () => readEndpoint(layout.endpoint)?.socket ?? null;
  return (capability?: string) =>
    client(capability ?? readCapability(layout.operatorKey, ports.uid), { locate, patienceMs: 60_000 });
}

test("a disk that fills up again and again in the middle of batches loses and doubles nothing", async (context) => {
  const world = createOwnerWorld();
  const state = mountSmallDisk(context, world.folder, 24);
  const ballast = join(state, "ballast");
  const isToBeFull = { value: false };
  const failpoints = {
    hit(point: string) {
      if (point !== "batch:applied" || !isToBeFull.value) return;
      isToBeFull.value = false;
      fillDisk(ballast);
    },
  };
  const owner = await world.start({ state, failpoints });
  const client = clientsOf(world, state);
  const load = await startLoad({ ids: world.ports.ids, client }, 6);
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise(setImmediate);
  };
  for (let time = 0; time < FULL_TIMES; time += 1) {
    const { length: told } = load.told;
    const { length: refused } = load.refused;
    isToBeFull.value = true;
    await until(() => load.refused.length >= refused + 6);
    rmSync(ballast);
    await until(() => load.told.length >= told + 10);
  }
  await load.stop();
  expect(new Set(load.refused)).toEqual(new Set(["disk_full"]));
  expect(await faultsOfLoad(load, client())).toEqual([]);
  await owner.stop("the test ends");
});

test("a database that fails at the begin or the end of every fifth batch loses and doubles nothing", async () => {
  const world = createOwnerWorld();
  const isArmed = { value: false };
  let batches = 0;
  const failpoints = {
    hit(point: string) {
      if (point === "batch:begun") batches += 1;
      const failing = batches % 2 === 0 ? "batch:begun" : "batch:applied";
      if (!isArmed.value || point !== failing || batches % 5 !== 0) return;
      throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    },
  };
  await world.start({ failpoints });
  const load = await startLoad({ ids: world.ports.ids, client: world.client }, 6);
  isArmed.value = true;
  while (load.told.length < 500) await new Promise(setImmediate);
  await load.stop();
  isArmed.value = false;
  expect(load.refused.length).toBeGreaterThan(20);
  expect(new Set(load.refused)).toEqual(new Set(["disk_full"]));
  expect(await faultsOfLoad(load, world.client())).toEqual([]);
});

test("a scope that begins on a disk with hardly any room is refused as that, and begins once there is some", async (context) => {
  const world = createOwnerWorld();
  const state = mountSmallDisk(context, world.folder, 2);
  const [ballast, reserve] = [join(state, "ballast"), join(state, "reserve")];
  const codes = new Set<string>();
  let pages = 0;
  for (let hasBegun = false; !hasBegun; pages += 1) {
    writeFileSync(reserve, Buffer.alloc(4096 * pages));
    fillDisk(ballast);
    rmSync(reserve);
    try {
      const owner = await world.start({ state });
      hasBegun = true;
      rmSync(ballast);
      await owner.stop("it began");
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      codes.add(error.code);
      rmSync(ballast, { force: true });
    }
  }
  expect([...codes]).toEqual(["disk_full"]);
  expect(pages).toBeGreaterThan(20);
  await world.start({ state });
  expect(await clientsOf(world, state)().call("task ls", {})).toMatchObject({ tasks: [] });
});
