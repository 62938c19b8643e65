/** What a store's users name: activations with their pins, and references to generations. */
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { codeOf, refusalOf } from "../fixtures/coded-error.ts";
import { storeSnapshot } from "../fixtures/store-snapshot.ts";
import { createStoreWorld, removeAll, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

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

  it("of a generation whose tree is gone is refused, and changes nothing", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    activate(a);
    removeAll(world.layout.generation(b));
    const before = storeSnapshot(world.layout.root);
    expect(codeOf(() => activate(b))).toBe("generation_damaged");
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
