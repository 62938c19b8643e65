/** What a store's users name and hold: activations, references, admission, launch and manual pins. */
import { lstatSync, readdirSync, readlinkSync } from "node:fs";
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

describe("activate", () => {
  it("numbers what it does, names what was before, and says who did it and when", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    expect(activate(a)).toEqual({ activation: 1, generation: a, previous: null, changed: true });
    now += 1000;
    expect(activate(b)).toEqual({ activation: 2, generation: b, previous: a, changed: true });
    expect(store.history("default")).toEqual([
      {
        profile: "default",
        activation: 2,
        generation: b,
        at: "2026-01-02T03:04:06.000Z",
        by: "me",
        kind: "activate",
        current: true,
      },
      {
        profile: "default",
        activation: 1,
        generation: a,
        at: "2026-01-02T03:04:05.000Z",
        by: "me",
        kind: "activate",
        current: false,
      },
    ]);
  });

  it("of the current generation changes nothing, and answers as the first time", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    activate(a);
    activate(b);
    const before = storeSnapshot(world.layout.root);
    expect(activate(b)).toEqual({ activation: 2, generation: b, previous: a, changed: false });
    expect(storeSnapshot(world.layout.root)).toEqual(before);
  });

  it("points the link for people at the current tree, for each profile apart", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    activate(a);
    activate(b, "canary");
    activate(b);
    const target = (profile: string) => readlinkSync(world.layout.profile(profile));
    expect([target("default"), target("canary")]).toEqual([`../generations/${b}`, `../generations/${b}`]);
    rollback();
    expect([target("default"), target("canary")]).toEqual([`../generations/${a}`, `../generations/${b}`]);
    expect(readdirSync(world.layout.profiles).sort()).toEqual(["canary", "default"]);
  });

  it("of a generation that is not there changes nothing", async () => {
    const [a] = (await stageAll("a")) as [string];
    activate(a);
    const before = storeSnapshot(world.layout.root);
    expect(codeOf(() => activate("0".repeat(64)))).toBe("generation_not_found");
    expect(storeSnapshot(world.layout.root)).toEqual(before);
  });

  it.each(["../evil", "", "a/b", ".hidden", "Upper", "a\nb", "x".repeat(65)])(
    "under the name %j is refused before anything is written",
    async (profile) => {
      const [a] = (await stageAll("a")) as [string];
      const before = storeSnapshot(world.layout.root);
      expect(codeOf(() => activate(a, profile))).toBe("invalid_input");
      expect(codeOf(() => rollback(1, profile))).toBe("invalid_input");
      expect(storeSnapshot(world.layout.root)).toEqual(before);
      expect(readdirSync(world.folder).sort()).toEqual(["a", "store"]);
    },
  );
});

describe("activation pins", () => {
  it("hold the current generation and the three before it, and no more", async () => {
    const ids = await stageAll("a", "b", "c", "d", "e", "f");
    for (const id of ids) activate(id);
    expect(ids.map(pinsOf)).toEqual([
      [],
      [],
      ["activation: activation @3 of profile default"],
      ["activation: activation @4 of profile default"],
      ["activation: activation @5 of profile default"],
      ["activation: activation @6 of profile default"],
    ]);
  });

  it("count distinct generations, however often each was activated", async () => {
    const [a, b, c] = (await stageAll("a", "b", "c")) as [string, string, string];
    activate(c);
    for (let round = 0; round < 4; round += 1) for (const id of [a, b]) activate(id);
    expect([a, b, c].map((id) => pinsOf(id).length)).toEqual([1, 1, 1]);
    expect(store.history("default").length).toBe(9);
  });

  it("of one profile are not moved by another", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    activate(a);
    activate(a, "canary");
    activate(b, "canary");
    expect(pinsOf(a).sort()).toEqual([
      "activation: activation @1 of profile canary",
      "activation: activation @1 of profile default",
    ]);
    expect(
      store
        .show(a)
        .activations.map(({ profile, current }) => [profile, current])
        .sort(),
    ).toEqual([
      ["canary", false],
      ["default", true],
    ]);
  });
});

describe("rollback", () => {
  it("goes one back each time it is repeated, and stops at the first", async () => {
    const [a, b, c] = (await stageAll("a", "b", "c")) as [string, string, string];
    for (const id of [a, b, c]) activate(id);
    expect(rollback()).toEqual({ activation: 4, generation: b, previous: c, changed: true });
    expect(rollback()).toEqual({ activation: 5, generation: a, previous: b, changed: true });
    expect(codeOf(() => rollback())).toBe("not_found");
    expect(store.history("default").map(({ activation, kind }) => `${activation} ${kind}`)).toEqual([
      "5 rollback",
      "4 rollback",
      "3 activate",
      "2 activate",
      "1 activate",
    ]);
    activate(c);
    expect(rollback()).toMatchObject({ activation: 7, generation: a });
  });

  it("to a number activates what that activation was, and doing so again changes nothing", async () => {
    const [a, b, c] = (await stageAll("a", "b", "c")) as [string, string, string];
    for (const id of [a, b, c]) activate(id);
    expect(rollback(1)).toEqual({ activation: 4, generation: a, previous: c, changed: true });
    expect(rollback(1)).toMatchObject({ activation: 4, generation: a, changed: false });
    expect(codeOf(() => rollback(99))).toBe("not_found");
    expect(codeOf(() => rollback(undefined, "other"))).toBe("not_found");
  });

  it("to a generation that was collected is refused, and changes nothing", async () => {
    const ids = await stageAll("a", "b", "c", "d", "e");
    for (const id of ids) activate(id);
    expect((await collectNow()).deleted).toEqual([ids[0]]);
    const before = storeSnapshot(world.layout.root);
    expect(codeOf(() => rollback(1))).toBe("generation_not_found");
    expect(storeSnapshot(world.layout.root)).toEqual(before);
    expect(rollback(2)).toMatchObject({ activation: 6, generation: ids[1] });
  });

  it("past one that was collected is refused rather than done to an older one", async () => {
    const ids = await stageAll("a", "b", "c");
    for (const id of ids) activate(id);
    expect((await collectNow({ keepLast: 0 })).deleted.toSorted()).toEqual([ids[0], ids[1]].toSorted());
    expect(codeOf(() => rollback())).toBe("generation_not_found");
    expect(store.resolve("@current", "default")).toBe(ids[2]);
  });
});

describe("a reference", () => {
  it("is a number of the profile, @current or @previous", async () => {
    const [a, b, c] = (await stageAll("a", "b", "c")) as [string, string, string];
    for (const id of [a, b, c]) activate(id);
    activate(b, "canary");
    const resolve = (reference: string, profile = "default") => store.resolve(reference, profile);
    expect(["@1", "@2", "@3", "@current", "@previous"].map((reference) => resolve(reference))).toEqual([
      a,
      b,
      c,
      c,
      b,
    ]);
    expect([resolve("@1", "canary"), resolve("@current", "canary")]).toEqual([b, b]);
    expect(codeOf(() => resolve("@previous", "canary"))).toBe("generation_not_found");
    rollback();
    expect([resolve("@current"), resolve("@previous")]).toEqual([b, a]);
  });

  it("@previous is what a rollback would take", async () => {
    const ids = await stageAll("a", "b", "a2", "c");
    for (const id of [...ids, ids[1]!]) activate(id);
    for (let step = 0; step < 3; step += 1) {
      const previous = store.resolve("@previous", "default");
      expect(rollback().generation).toBe(previous);
    }
  });

  it("is a unique prefix, in any case, with or without its kind", async () => {
    const [a] = (await stageAll("a")) as [string];
    for (const reference of [a, a.slice(0, 12), a.slice(0, 1), a.slice(0, 9).toUpperCase(), `sha256:${a}`]) {
      expect(store.resolve(reference, "default")).toBe(a);
    }
  });

  it("that begins several ids names all of them, up to ten", async () => {
    const ids = await stageAll(...Array.from({ length: 17 }, (_, index) => `n${index}`));
    const startsWith = (digit: string) => ids.filter((id) => id.startsWith(digit));
    const digit = [..."0123456789abcdef"].find((candidate) => startsWith(candidate).length > 1)!;
    const several = startsWith(digit);
    const refusal = refusalOf(() => store.resolve(digit, "default"));
    expect(refusal?.toJSON()).toMatchObject({ code: "ambiguous_prefix", candidates: several.toSorted() });
    for (const id of several) expect(refusal?.message).toContain(id);
  });

  it.each(["", "@", "@x", "@-1", "@1.5", "xyz", "*", "sha256:", "0".repeat(65), "@CURRENT", "../x"])(
    "%j is malformed",
    async (reference) => {
      await stage("a");
      expect(codeOf(() => store.resolve(reference, "default"))).toBe("invalid_input");
    },
  );

  it("to what was collected says so", async () => {
    const [a] = (await stageAll("a")) as [string];
    activate(a);
    const b = await stage("b");
    activate(b);
    await collectNow({ keepLast: 0 });
    expect(refusalOf(() => store.resolve(a.slice(0, 8), "default"))?.message).toContain("was collected");
    expect(refusalOf(() => store.resolve("@1", "default"))?.message).toContain(a);
    expect(codeOf(() => store.resolve("@1", "default"))).toBe("generation_not_found");
  });
});

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
