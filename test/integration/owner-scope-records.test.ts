/** Scopes in the store's index: who they are, which generation their owners run from, and its pin. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { refusalOf } from "../fixtures/coded-error.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

let world: StoreWorld;
let store: Store;

beforeEach(() => {
  world = createStoreWorld({ clock: { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) } });
  store = world.store;
});

afterEach(() => world.remove());

const SCOPE = {
  scope: "0123456789ab",
  root: "/projects/one",
  profile: "default",
  instance: "i-1",
  folder: "/state/scopes/0123456789ab",
};

async function stage(name: string): Promise<string> {
  const source = writeTree(join(world.folder, name), { "version.txt": name });
  return (await store.stage({ source, bare: true, name: "demo" })).generation;
}

it("a new scope follows its profile's current generation, and each activation after it", async () => {
  const [a, b] = [await stage("a"), await stage("b")];
  store.activate({ generation: a, profile: "default", by: "me" });
  expect(store.scopes.add(SCOPE)).toEqual({
    ...SCOPE,
    generation: a,
    createdAt: "2026-01-02T03:04:05.000Z",
  });
  store.activate({ generation: b, profile: "other", by: "me" });
  expect(store.scopes.read(SCOPE.scope)?.generation).toBe(a);
  store.activate({ generation: b, profile: "default", by: "me" });
  expect(store.scopes.read(SCOPE.scope)?.generation).toBe(b);
  store.rollback({ profile: "default", by: "me" });
  expect(store.scopes.list().map(({ generation }) => generation)).toEqual([a]);
});

it("adding the same instance again changes nothing; a new instance takes its place", () => {
  const first = store.scopes.add(SCOPE);
  expect(first.generation).toBeNull();
  expect(store.scopes.add(SCOPE)).toEqual(first);
  expect(store.scopes.add({ ...SCOPE, instance: "i-2" }).instance).toBe("i-2");
  expect(store.scopes.list()).toHaveLength(1);
});

it("a scope whose launches may still run is not begun anew", async () => {
  const generation = await stage("a");
  store.scopes.add(SCOPE);
  store.launches.reserve({
    launchId: "l-1",
    generation,
    profile: "default",
    scope: SCOPE.scope,
    ledgerInstance: SCOPE.instance,
  });
  expect(refusalOf(() => store.scopes.add({ ...SCOPE, instance: "i-2" }))?.toJSON()).toMatchObject({
    code: "wrong_state",
    launches: ["l-1"],
    changed: false,
  });
  expect(store.scopes.read(SCOPE.scope)?.instance).toBe("i-1");
});

it("creating a scope needs open admission; finding one does not", () => {
  store.scopes.add(SCOPE);
  store.admission.close({
    profile: "default",
    command: "swarm-gen upgrade",
    reason: "a new one",
    target: null,
  });
  expect(store.scopes.add(SCOPE).instance).toBe("i-1");
  const other = { ...SCOPE, scope: "ba9876543210", root: "/projects/other" };
  expect(refusalOf(() => store.scopes.add(other))?.code).toBe("admission_closed");
  expect(store.scopes.read(other.scope)).toBeNull();
});

it("an owner's pin keeps its generation, and takes the place of the owner's before", async () => {
  const [a, b] = [await stage("a"), await stage("b")];
  store.scopes.pinOwner({ scope: SCOPE.scope, generation: a });
  store.scopes.pinOwner({ scope: SCOPE.scope, generation: b });
  expect(store.why(a).pins).toEqual([]);
  expect(store.why(b).pins.map(({ kind, reason }) => `${kind}: ${reason}`)).toEqual([
    "owner: owner of scope 0123456789ab",
  ]);
  const { deleted } = await store.collect({ mode: "delete", olderThanMs: 0 });
  expect(deleted).toEqual([a]);
  expect([store.scopes.releaseOwner(SCOPE.scope), store.scopes.releaseOwner(SCOPE.scope)]).toEqual([
    true,
    false,
  ]);
});
