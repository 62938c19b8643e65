/** Collection: one policy behind every verb, what it keeps, and what it frees. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Liveness } from "../../src/kernel/processes.ts";
import type { CollectRequest, Store } from "../../src/store/store.ts";
import { codeOf, refusalOfAsync } from "../fixtures/coded-error.ts";
import { storeSnapshot } from "../fixtures/store-snapshot.ts";
import {
  createStoreWorld,
  removeAll,
  type StoreWorld,
  storeDeps,
  writeTree,
} from "../fixtures/store-world.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let now: number;
let world: StoreWorld;
let store: Store;

beforeEach(() => {
  now = Date.UTC(2026, 0, 2, 3, 4, 5);
  world = createStoreWorld({ clock: { now: () => now } });
  store = world.store;
});

afterEach(() => world.remove());

/** A generation with one file of its own, one that all share, and an empty one. */
async function stage(name: string, own = `only in ${name}\n`): Promise<string> {
  const source = writeTree(join(world.folder, name), {
    "bin/tool": { text: "#!/bin/sh\n", mode: 0o755 },
    "own.txt": own,
    "shared.txt": "in all of them\n",
    nothing: "",
  });
  return (await store.stage({ source, bare: true, name: "demo" })).generation;
}

async function stageAll(...names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(await stage(name));
  return ids;
}

const activate = (generation: string) => store.activate({ generation, profile: "default", by: "me" });
const collect = (more: Partial<CollectRequest> = {}) =>
  store.collect({ mode: "delete", olderThanMs: 0, ...more });

/** The sum of the sizes of all inodes that hold contents below these folders. */
function contentBytes(...folders: readonly string[]): number {
  const inodes = new Map<number, number>();
  const visit = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const at = join(path, entry.name);
      if (entry.isDirectory()) visit(at);
      else if (entry.isFile()) inodes.set(lstatSync(at).ino, lstatSync(at).size);
    }
  };
  for (const folder of folders) visit(folder);
  return [...inodes.values()].reduce((sum, size) => sum + size, 0);
}

describe("the one policy", () => {
  it("is the same for live, dead, dry-run and delete, to the byte", async () => {
    const [a, b, c] = (await stageAll("a", "b", "c")) as [string, string, string];
    activate(c);
    store.pin({ generation: b, reason: "x" });
    const before = contentBytes(world.layout.blobs);
    const snapshot = storeSnapshot(world.layout.root);
    const expected = { live: [b, c].toSorted(), dead: [a], executing: [] };
    const printed = [];
    for (const mode of ["print-live", "print-dead", "dry-run"] as const)
      printed.push(await collect({ mode }));
    expect(storeSnapshot(world.layout.root)).toEqual(snapshot);
    // `own.txt` of a; what the others hold too stays.
    const freedBytes = Buffer.byteLength("only in a\n");
    for (const result of printed) {
      expect(result).toEqual({ ...expected, deleted: [], freedBytes, swept: 0 });
    }
    const done = await collect();
    expect(done).toMatchObject({ ...expected, deleted: [a], freedBytes });
    expect(before - contentBytes(world.layout.blobs)).toBe(freedBytes);
    expect(store.list().map(({ generation }) => generation)).toEqual(expected.live);
    expect((await store.verify({})).ok).toBe(true);
  });

  it("done again finds nothing more to do", async () => {
    await stageAll("a", "b");
    await collect();
    const snapshot = storeSnapshot(world.layout.root);
    expect(await collect()).toEqual({
      live: [],
      dead: [],
      deleted: [],
      freedBytes: 0,
      executing: [],
      swept: 0,
    });
    expect(storeSnapshot(world.layout.root)).toEqual(snapshot);
  });

  it("takes blobs that no listing names, and frees all when all is dead", async () => {
    await stageAll("a", "b", "c");
    const before = contentBytes(world.layout.blobs);
    const { freedBytes, deleted } = await collect();
    expect(deleted.length).toBe(3);
    expect(freedBytes).toBe(before);
    expect(contentBytes(world.layout.blobs, world.layout.generations)).toBe(0);
    expect(readdirSync(world.layout.generations)).toEqual([]);
    expect(readdirSync(world.layout.manifests)).toEqual([]);
    expect((await store.info()).blobs).toBe(0);
  });

  it("tells a content's two modes apart: the executable of the dead goes, the plain file of the living stays", async () => {
    const plain = writeTree(join(world.folder, "plain"), { x: "same\n" });
    const program = writeTree(join(world.folder, "program"), { x: { text: "same\n", mode: 0o755 } });
    const kept = (await store.stage({ source: plain, bare: true, name: "demo" })).generation;
    await store.stage({ source: program, bare: true, name: "demo" });
    activate(kept);
    expect((await collect()).freedBytes).toBe(5);
    expect((await store.verify({})).ok).toBe(true);
  });

  it("works on a store that does not exist, and makes none for a look", async () => {
    const nowhere = join(world.folder, "nowhere");
    const result = await world.open({ root: nowhere }).collect({ mode: "dry-run" });
    expect(result).toEqual({ live: [], dead: [], deleted: [], freedBytes: 0, executing: [], swept: 0 });
    expect(readdirSync(world.folder)).toEqual([]);
  });
});

describe("the grace time", () => {
  it("keeps what was staged in the last day, pinned or not, and not a millisecond longer", async () => {
    const [a] = (await stageAll("a")) as [string];
    now += DAY_MS - 1;
    expect((await store.collect({ mode: "delete" })).deleted).toEqual([]);
    now += 1;
    expect((await store.collect({ mode: "delete" })).deleted).toEqual([a]);
  });

  it("is what the request says", async () => {
    const [a] = (await stageAll("a")) as [string];
    now += 2 * HOUR_MS;
    const [b] = (await stageAll("b")) as [string];
    expect((await store.collect({ mode: "delete", olderThanMs: HOUR_MS })).deleted).toEqual([a]);
    expect(store.list().map(({ generation }) => generation)).toEqual([b]);
  });
});

describe("keep-last", () => {
  it("keeps that many activations before the current one, fewer than the store does or more", async () => {
    const ids = await stageAll("a", "b", "c", "d", "e", "f", "g");
    for (const id of ids) activate(id);
    const dead = async (keepLast?: number) =>
      (
        await collect({ mode: "print-dead", ...(keepLast === undefined ? {} : { keepLast }) })
      ).dead.toSorted();
    expect(await dead()).toEqual(ids.slice(0, 3).toSorted());
    expect(await dead(3)).toEqual(ids.slice(0, 3).toSorted());
    expect(await dead(5)).toEqual(ids.slice(0, 1).toSorted());
    expect(await dead(100)).toEqual([]);
    expect(await dead(0)).toEqual(ids.slice(0, 6).toSorted());
    expect((await collect({ keepLast: 5 })).deleted).toEqual(ids.slice(0, 1));
    expect((await collect({ keepLast: 1 })).deleted.toSorted()).toEqual(ids.slice(1, 5).toSorted());
    expect(store.resolve("@previous", "default")).toBe(ids[5]);
  });

  it("counts in each profile apart", async () => {
    const [a, b, c] = (await stageAll("a", "b", "c")) as [string, string, string];
    for (const id of [a, b]) activate(id);
    store.activate({ generation: c, profile: "canary", by: "me" });
    expect((await collect({ keepLast: 0 })).deleted).toEqual([a]);
  });
});

describe("a pin whose time or holder is over", () => {
  it("of a person holds until its end, and not after", async () => {
    const [a] = (await stageAll("a")) as [string];
    store.pin({ generation: a, reason: "x", expiresAt: new Date(now + HOUR_MS).toISOString() });
    now += HOUR_MS - 1;
    expect((await collect()).deleted).toEqual([]);
    now += 1;
    expect((await collect()).deleted).toEqual([a]);
  });

  it.each<[Liveness, boolean]>([
    ["alive", true],
    ["unknown", true],
    ["dead", false],
  ])("of a process that is %s keeps its generation: %s", async (liveness, keeps) => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    store.pinForProcess(a, "mine");
    const source = join(world.folder, "b");
    await store.stage({ source, bare: true, name: "demo", hold: true });
    const processes = { ...storeDeps(world.layout.root).processes, liveness: () => liveness };
    const other = world.open({ processes, clock: { now: () => now } });
    const { deleted } = await other.collect({ mode: "delete", olderThanMs: 0 });
    expect(deleted.toSorted()).toEqual(keeps ? [] : [a, b].toSorted());
  });

  it("of a real process holds while it lives, and not once it was killed", async () => {
    const [a] = (await stageAll("a")) as [string];
    const program = new URL("../fixtures/hold-generation.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [program, world.layout.root, a], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      await once(child.stdout, "data");
      expect((await collect()).deleted).toEqual([]);
      expect(store.why(a).pins.map(({ kind, holder }) => [kind, holder.pid])).toEqual([
        ["process", child.pid],
      ]);
    } finally {
      child.kill("SIGKILL");
    }
    await once(child, "exit");
    expect((await collect()).deleted).toEqual([a]);
  });

  it("of a boot that is not this one is gone with it; of another pid name space it is unknown", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    const { processes } = storeDeps(world.layout.root);
    const [boot, space, start] = processes.self().boot.split("/");
    const asSeenFrom = (recorded: string) =>
      world.open({ processes: { ...processes, self: () => ({ ...processes.self(), boot: recorded }) } });
    asSeenFrom(`00000000-dead/${space}/${start}`).pinForProcess(a, "before the restart");
    asSeenFrom(`${boot}/pid:[1]/${start}`).pinForProcess(b, "in a container");
    expect((await collect()).deleted).toEqual([a]);
  });

  it("of a launch is dropped by nobody but its owner, however old", async () => {
    const [a] = (await stageAll("a")) as [string];
    const ticket = { launchId: "l", generation: a, profile: "default", scope: "s", ledgerInstance: "i" };
    store.launches.reserve(ticket);
    now += 5000 * DAY_MS;
    expect((await collect({ keepLast: 0 })).deleted).toEqual([]);
    expect(store.launches.list("default").length).toBe(1);
  });
});

describe("a process that runs from an unpinned generation", () => {
  it("stops its collection, is named, and after its end no longer does", async () => {
    const source = join(world.folder, "runtime");
    mkdirSync(join(source, "bin"), { recursive: true });
    copyFileSync("/bin/sleep", join(source, "bin", "sleep"));
    const a = (await store.stage({ source, bare: true, name: "runtime" })).generation;
    const b = await stage("b");
    const program = join(world.layout.generation(a), "bin", "sleep");
    const child = spawn(program, ["600"], { stdio: "ignore" });
    try {
      await once(child, "spawn");
      const result = await collect();
      expect(result).toMatchObject({
        live: [a],
        dead: [b],
        deleted: [b],
        executing: [{ generation: a, pid: child.pid, path: program }],
      });
      expect(store.why(a)).toMatchObject({
        state: "present",
        pins: [],
        executing: [{ pid: child.pid, path: program, command: `${program} 600` }],
        collectable: false,
      });
    } finally {
      child.kill("SIGKILL");
    }
    await once(child, "exit");
    expect(store.why(a).collectable).toBe(true);
    expect((await collect()).deleted).toEqual([a]);
  });

  it("protects both where it is one generation's interpreter that runs another's script", async () => {
    const runtime = join(world.folder, "runtime");
    mkdirSync(join(runtime, "bin"), { recursive: true });
    copyFileSync("/bin/sh", join(runtime, "bin", "sh"));
    const a = (await store.stage({ source: runtime, bare: true, name: "runtime" })).generation;
    const scripts = writeTree(join(world.folder, "scripts"), { "wait.sh": "read line\n" });
    const b = (await store.stage({ source: scripts, bare: true, name: "scripts" })).generation;
    const script = join(world.layout.generation(b), "wait.sh");
    const child = spawn(join(world.layout.generation(a), "bin", "sh"), [script], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    try {
      await once(child, "spawn");
      const { deleted, executing } = await collect();
      expect(deleted).toEqual([]);
      expect(executing.map(({ generation }) => generation).toSorted()).toEqual([a, b].toSorted());
    } finally {
      child.kill("SIGKILL");
    }
    await once(child, "exit");
    expect((await collect()).deleted.length).toBe(2);
  });
});

describe("a collection between two steps of somebody else (T4)", () => {
  it("leaves what is held from its stage on, and what was activated since", async () => {
    const source = writeTree(join(world.folder, "held"), { "version.txt": "held" });
    const { generation } = await store.stage({ source, bare: true, name: "demo", hold: true });
    const other = world.open();
    const collectElsewhere = () => other.collect({ mode: "delete", olderThanMs: 0, keepLast: 0 });
    expect((await collectElsewhere()).deleted).toEqual([]);
    activate(generation);
    expect((await collectElsewhere()).deleted).toEqual([]);
    expect((await store.verify({})).ok).toBe(true);
  });

  it("after a look-up makes the next step fail by name, and the same stage brings it back", async () => {
    const [a] = (await stageAll("a")) as [string];
    const found = store.resolve(a.slice(0, 10), "default");
    await world.open().collect({ mode: "delete", olderThanMs: 0 });
    expect(codeOf(() => activate(found))).toBe("generation_not_found");
    expect(await stage("a")).toBe(a);
    expect(activate(found).changed).toBe(true);
    expect((await store.verify({})).ok).toBe(true);
  });

  it("before a stage that remembers the source's digests writes the contents again", async () => {
    const [a] = (await stageAll("a")) as [string];
    await collect();
    expect((await store.info()).blobs).toBe(0);
    expect(await stage("a")).toBe(a);
    expect((await store.info()).blobs).toBe(4);
    expect((await store.verify({})).ok).toBe(true);
  });
});

describe("evidence by value (X15)", () => {
  it("300 finished launches on 40 generations keep no tree", { timeout: 120_000 }, async () => {
    const ids = await stageAll(...Array.from({ length: 40 }, (_, index) => `n${index}`));
    for (const id of ids) activate(id);
    for (let launch = 0; launch < 300; launch += 1) {
      const launchId = `launch-${launch}`;
      const generation = ids[launch % 40]!;
      store.launches.reserve({ launchId, generation, profile: "default", scope: "s", ledgerInstance: "i" });
      store.launches.start(launchId);
      store.launches.release(launchId);
    }
    const { live, deleted } = await collect();
    expect(live.toSorted()).toEqual(ids.slice(36).toSorted());
    expect(deleted.length).toBe(36);
    // What they did stays on record, and names what is gone.
    expect(store.history("default").length).toBe(40);
    expect(store.history("default").at(-1)).toMatchObject({ activation: 1, generation: ids[0] });
    expect(store.why(ids[0]!)).toMatchObject({
      state: "collected",
      pins: [],
      executing: [],
      collectable: false,
    });
  });
});

describe("what was collected", () => {
  it("is remembered with its time, staged again as before, and remembered as both", async () => {
    const [a] = (await stageAll("a")) as [string];
    now += DAY_MS;
    await collect();
    expect(store.why(a)).toEqual({
      generation: a,
      state: "collected",
      pins: [],
      executing: [],
      collectable: false,
      stagedAt: null,
      collectedAt: "2026-01-03T03:04:05.000Z",
    });
    now += DAY_MS;
    expect(await stage("a")).toBe(a);
    expect(store.why(a)).toMatchObject({
      state: "present",
      stagedAt: "2026-01-04T03:04:05.000Z",
      collectedAt: null,
      collectable: true,
    });
    expect((await store.verify({})).ok).toBe(true);
  });

  it("is told from what never was", () => {
    expect(codeOf(() => store.why("0".repeat(64)))).toBe("generation_not_found");
  });

  it("is not to be pinned, activated or shown", async () => {
    const [a] = (await stageAll("a")) as [string];
    await collect();
    expect(codeOf(() => store.pin({ generation: a, reason: "x" }))).toBe("generation_not_found");
    expect(codeOf(() => activate(a))).toBe("generation_not_found");
    expect(codeOf(() => store.show(a))).toBe("generation_not_found");
    expect((await refusalOfAsync(() => store.files(a)))?.code).toBe("generation_not_found");
    expect((await refusalOfAsync(() => store.sums(a)))?.code).toBe("generation_not_found");
  });
});

describe("a damaged store", () => {
  it.each([
    ["gone", (path: string) => unlinkSync(path)],
    ["torn", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 100))],
  ])("whose living generation's listing is %s loses no blob, and says what to mend", async (_, damage) => {
    const [a] = (await stageAll("a", "b")) as [string];
    activate(a);
    damage(world.layout.listing(a));
    const blobs = (await store.info()).blobs;
    for (const mode of ["dry-run", "delete"] as const) {
      const refusal = await refusalOfAsync(() => collect({ mode }));
      expect(refusal?.code).toBe("generation_damaged");
      expect(refusal?.hint).toContain(`swarm-gen repair ${a}`);
    }
    expect((await store.info()).blobs).toBe(blobs);
    await store.repair({ generation: a });
    await collect();
    expect((await store.verify({})).ok).toBe(true);
    expect((await store.info()).blobs).toBe(blobs - 1);
  });

  it("that lost its index gets its whole trees back, and none that is damaged", async () => {
    const [a, b] = (await stageAll("a", "b")) as [string, string];
    store.close();
    for (const suffix of ["", "-wal", "-shm"]) removeAll(`${world.layout.index}${suffix}`);
    chmodSync(world.layout.generation(b), 0o755);
    removeAll(join(world.layout.generation(b), "own.txt"));
    const again = world.open();
    expect(again.list()).toEqual([]);
    const { live } = await again.collect({ mode: "delete" });
    expect(live).toEqual([a]);
    expect(await again.verify({})).toMatchObject({ ok: true, checked: 1 });
    expect(readdirSync(world.layout.generations)).toEqual([a]);
    expect(again.show(a).name).toBe("demo");
  });
});
