/** What a collection leaves alone: what is held, what runs, what others are about to use (STORE-3). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Liveness } from "../../src/kernel/processes.ts";
import type { CollectRequest, Store } from "../../src/store/store.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { createStoreWorld, type StoreWorld, storeDeps, writeTree } from "../fixtures/store-world.ts";

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
function _contentBytes(...folders: readonly string[]): number {
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
