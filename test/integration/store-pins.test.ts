/** What holds a generation, and who may: admission, launch pins and manual pins. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { codeOf, refusalOf } from "../fixtures/coded-error.ts";
import { storeSnapshot } from "../fixtures/store-snapshot.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

let now: number;
let world: StoreWorld;
let store: Store;

beforeEach(() => {
  now = NOW;
  world = createStoreWorld({ clock: { now: () => now } });
  store = world.store;
});

afterEach(() => world.remove());

async function stage(name: string): Promise<string> {
  const source = writeTree(join(world.folder, name), { "version.txt": name });
  return (await store.stage({ source, bare: true, name: "demo" })).generation;
}

async function stageAll(...names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(await stage(name));
  return ids;
}

const activate = (generation: string, profile = "default") =>
  store.activate({ generation, profile, by: "me" });
const rollback = (number?: number, profile = "default") =>
  store.rollback({ profile, by: "me", ...(number === undefined ? {} : { number }) });
const pinsOf = (id: string) => store.show(id).pins.map(({ kind, reason }) => `${kind}: ${reason}`);
const collectNow = (more = {}) => store.collect({ mode: "delete", olderThanMs: 0, ...more });

describe("closed admission", () => {
  const close = (profile = "default") =>
    store.admission.close({ profile, command: "swarm-gen upgrade", reason: "a new one", target: null });

  it("refuses activation, rollback and reservation, names its holder, and changes nothing", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    activate(a);
    activate(b);
    const { epoch } = close();
    expect(epoch).toBe(1);
    const before = storeSnapshot(world.layout.root);
    for (const act of [() => activate(a), () => rollback(), () => reserve("l1", a), () => close()]) {
      const refusal = refusalOf(act);
      expect(refusal?.toJSON()).toMatchObject({
        code: "admission_closed",
        profile: "default",
        epoch: 1,
        reason: "a new one",
        since: "2026-01-02T03:04:05.000Z",
        changed: false,
        holder: { command: "swarm-gen upgrade", pid: process.pid },
      });
      expect(refusal?.message).toContain(`"swarm-gen upgrade" (process ${process.pid})`);
    }
    expect(storeSnapshot(world.layout.root)).toEqual(before);
  });

  it("of one profile leaves another's open", async () => {
    const [a] = (await stageAll("a")) as [string];
    close("canary");
    expect(activate(a).changed).toBe(true);
    expect(store.admission.read("default")).toMatchObject({ state: "open", epoch: 0, holder: null });
  });

  it("is opened only at the epoch that closed it, and once", async () => {
    const { epoch } = close();
    expect(codeOf(() => store.admission.open({ profile: "default", epoch: epoch + 1 }))).toBe(
      "admission_lost",
    );
    expect(store.admission.open({ profile: "default", epoch })).toEqual({
      profile: "default",
      state: "open",
      epoch: 1,
      holder: null,
      target: null,
      reason: null,
      since: null,
    });
    expect(codeOf(() => store.admission.open({ profile: "default", epoch }))).toBe("admission_lost");
    expect(close().epoch).toBe(2);
  });

  it("is seen by every other user of the store, and outlives the one who closed it", () => {
    close();
    const other = world.open();
    store.close();
    expect(other.admission.read("default")).toMatchObject({ state: "closed", epoch: 1 });
  });
});

function reserve(launchId: string, generation: string, more = {}) {
  const ticket = { launchId, generation, profile: "default", scope: "scope-1", ledgerInstance: "ledger-1" };
  return store.launches.reserve({ ...ticket, ...more });
}

describe("a launch pin", () => {
  it("is reserved, started and released, each of them twice with the same answer", async () => {
    const [a] = (await stageAll("a")) as [string];
    const reserved = {
      launchId: "l1",
      generation: a,
      profile: "default",
      scope: "scope-1",
      ledgerInstance: "ledger-1",
      epoch: 0,
      stage: "reserved",
      since: "2026-01-02T03:04:05.000Z",
    };
    expect(reserve("l1", a)).toEqual(reserved);
    now += 5000;
    expect(reserve("l1", a)).toEqual(reserved);
    expect(store.launches.start("l1")).toEqual({ ...reserved, stage: "started" });
    expect(store.launches.start("l1")).toEqual({ ...reserved, stage: "started" });
    expect(reserve("l1", a)).toEqual({ ...reserved, stage: "started" });
    expect(store.launches.list("default")).toEqual([{ ...reserved, stage: "started" }]);
    expect(store.launches.list("canary")).toEqual([]);
    expect(store.launches.release("l1")).toBe(true);
    expect(store.launches.release("l1")).toBe(false);
    expect(store.launches.list("default")).toEqual([]);
    expect(codeOf(() => store.launches.start("l1"))).toBe("not_found");
  });

  it.each([
    ["generation", (b: string) => ({ generation: b })],
    ["profile", () => ({ profile: "canary" })],
    ["scope", () => ({ scope: "scope-2" })],
    ["ledger", () => ({ ledgerInstance: "ledger-2" })],
  ])("asked for again with another %s is a conflict, and stays what it was", async (_, other) => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    const first = reserve("l1", a);
    const refusal = refusalOf(() => reserve("l1", a, other(b)));
    expect(refusal?.toJSON()).toMatchObject({ code: "pin_conflict", pinned: a, changed: false });
    expect(store.launches.list("default")).toEqual([first]);
  });

  it("of an epoch before a close is not started after it", async () => {
    const [a] = (await stageAll("a")) as [string];
    reserve("l1", a);
    reserve("l2", a);
    store.launches.start("l2");
    const { epoch } = store.admission.close({
      profile: "default",
      command: "upgrade",
      reason: "new",
      target: null,
    });
    expect(codeOf(() => store.launches.start("l1"))).toBe("admission_closed");
    store.admission.open({ profile: "default", epoch });
    expect(refusalOf(() => store.launches.start("l1"))?.toJSON()).toMatchObject({
      code: "admission_lost",
      expected: 0,
      epoch: 1,
      changed: false,
    });
    // What was started before the close is unmoved by it.
    expect(store.launches.start("l2").stage).toBe("started");
    expect(store.launches.release("l1")).toBe(true);
    expect(reserve("l1", a)).toMatchObject({ epoch: 1, stage: "reserved" });
    expect(store.launches.start("l1").stage).toBe("started");
  });

  it("is released while admission is closed", async () => {
    const [a] = (await stageAll("a")) as [string];
    reserve("l1", a);
    store.admission.close({ profile: "default", command: "upgrade", reason: "new", target: null });
    expect(store.launches.release("l1")).toBe(true);
  });

  it("keeps its generation from collection, however old, and its release does not", async () => {
    const [a] = (await stageAll("a")) as [string];
    reserve("l1", a);
    now += 1000 * DAY_MS;
    expect((await collectNow()).deleted).toEqual([]);
    expect(store.why(a).pins.map(({ kind, holder }) => [kind, holder.launch, holder.scope])).toEqual([
      ["launch", "l1", "scope-1"],
    ]);
    store.launches.release("l1");
    expect((await collectNow()).deleted).toEqual([a]);
    expect(codeOf(() => reserve("l2", a))).toBe("generation_not_found");
  });
});

describe("a manual pin", () => {
  it("is one for one reason, and released by its id", async () => {
    const [a] = (await stageAll("a")) as [string];
    const pin = store.pin({ generation: a, reason: "a customer's bug" });
    expect(pin).toEqual({
      id: pin.id,
      kind: "manual",
      generation: a,
      reason: "a customer's bug",
      since: "2026-01-02T03:04:05.000Z",
      expiresAt: null,
      holder: {},
    });
    now += 1000;
    expect(store.pin({ generation: a, reason: "a customer's bug" })).toEqual(pin);
    expect(store.pin({ generation: a, reason: "another" }).id).not.toBe(pin.id);
    expect(store.unpin(pin.id)).toEqual(pin);
    expect(codeOf(() => store.unpin(pin.id))).toBe("not_found");
    expect(pinsOf(a)).toEqual(["manual: another"]);
  });

  it("taken again after its end holds again", async () => {
    const [a] = (await stageAll("a")) as [string];
    store.pin({ generation: a, reason: "x", expiresAt: "2026-01-03T00:00:00Z" });
    now += 10 * DAY_MS;
    expect(store.why(a).collectable).toBe(true);
    expect(store.pin({ generation: a, reason: "x" }).expiresAt).toBe(null);
    expect(store.why(a).collectable).toBe(false);
    expect((await collectNow()).deleted).toEqual([]);
  });

  it("with an end that is no instant is refused, instead of lasting for ever", async () => {
    const [a] = (await stageAll("a")) as [string];
    expect(codeOf(() => store.pin({ generation: a, reason: "x", expiresAt: "tomorrow" }))).toBe(
      "invalid_input",
    );
    expect(pinsOf(a)).toEqual([]);
  });

  it("of another kind is not released by hand", async () => {
    const [a] = (await stageAll("a")) as [string];
    activate(a);
    const [pin] = store.show(a).pins;
    const refusal = refusalOf(() => store.unpin(pin!.id));
    expect(refusal?.code).toBe("not_found");
    expect(refusal?.message).toContain("is of kind activation");
    expect(pinsOf(a).length).toBe(1);
  });

  it("on what is not there is refused", () => {
    expect(codeOf(() => store.pin({ generation: "1".repeat(64), reason: "x" }))).toBe("generation_not_found");
  });
});

describe("the trees of a store", () => {
  it("are untouched by all of this", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    const inode = () => [a, b].map((id) => lstatSync(world.layout.generation(id)).ino);
    const before = inode();
    activate(a);
    activate(b);
    rollback();
    reserve("l1", b);
    store.pin({ generation: b, reason: "x" });
    expect(inode()).toEqual(before);
    expect((await store.verify({})).ok).toBe(true);
  });
});
