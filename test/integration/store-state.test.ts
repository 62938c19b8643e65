/** A store that cannot be trusted is refused, one that is not there reads as empty, and it looks plain in the end. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openIndex } from "../../src/store/index/open-index.ts";
import type { Store } from "../../src/store/store.ts";
import { codeOf, refusalOf, refusalOfAsync } from "../fixtures/coded-error.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

const UNKNOWN = "0".repeat(64);

let world: StoreWorld;

beforeEach(() => {
  world = createStoreWorld();
});

afterEach(() => world.remove());

async function stage(name: string): Promise<string> {
  const source = writeTree(join(world.folder, name), { "version.txt": name });
  return (await world.store.stage({ source, bare: true, name: "demo" })).generation;
}

const READS: readonly (readonly [string, (store: Store) => unknown, unknown])[] = [
  ["list", (store) => store.list(), []],
  ["history", (store) => store.history("default"), []],
  ["launches", (store) => store.launches.list("default"), []],
  ["verify", (store) => store.verify({}), { ok: true, checked: 0, damage: [], blind: [] }],
  [
    "dry-run",
    (store) => store.collect({ mode: "dry-run" }),
    { live: [], dead: [], deleted: [], freedBytes: 0, executing: [], swept: 0 },
  ],
  [
    "admission",
    (store) => store.admission.read("default"),
    { profile: "default", state: "open", epoch: 0, holder: null, target: null, reason: null, since: null },
  ],
];

const REFUSED_READS: readonly (readonly [string, (store: Store) => unknown])[] = [
  ["resolve", (store) => store.resolve("abc", "default")],
  ["resolve @current", (store) => store.resolve("@current", "default")],
  ["show", (store) => store.show(UNKNOWN)],
  ["files", (store) => store.files(UNKNOWN)],
  ["sums", (store) => store.sums(UNKNOWN)],
  ["narHash", (store) => store.narHash(UNKNOWN)],
  ["diff", (store) => store.diff(UNKNOWN, UNKNOWN)],
  ["why", (store) => store.why(UNKNOWN)],
  ["verify one", (store) => store.verify({ generations: [UNKNOWN] })],
  ["repair", (store) => store.repair({ generation: UNKNOWN })],
  ["export", (store) => store.exportTo(UNKNOWN, { file: join(world.folder, "out.tar") })],
];

describe("a store that does not exist", () => {
  it.each(READS)("answers %s as an empty one, and is not made by it", async (_, read, expected) => {
    expect(await read(world.store)).toEqual(expected);
    expect(readdirSync(world.folder)).toEqual([]);
  });

  it.each(REFUSED_READS)("has no generation for %s, and is not made by it", async (_, read) => {
    const refusal = await refusalOfAsync(async () => read(world.store));
    expect(refusal?.code).toBe("generation_not_found");
    expect(readdirSync(world.folder)).toEqual([]);
  });

  it("has nothing to tell of itself, and is not made by the question", async () => {
    expect(await world.store.info()).toMatchObject({ generations: 0, blobs: 0, blobBytes: 0, indexBytes: 0 });
    expect(readdirSync(world.folder)).toEqual([]);
  });

  it("is made by the first stage, private to its user whatever the umask", async () => {
    const umask = process.umask(0);
    try {
      await stage("a");
    } finally {
      process.umask(umask);
    }
    const modes = ["", "blobs", "generations", "manifests", "profiles", "stat-cache", "builds"].map((name) =>
      (lstatSync(join(world.layout.root, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(["700", "700", "700", "700", "700", "700", "700"]);
  });
});

describe("a store that others can reach", () => {
  it.each([0o777, 0o770, 0o720, 0o702])("with mode %o is refused by reads and writes alike", async (mode) => {
    await stage("a");
    chmodSync(world.layout.root, mode);
    const own = world.open();
    expect(codeOf(() => own.list())).toBe("state_insecure");
    expect(codeOf(() => own.pin({ generation: UNKNOWN, reason: "x" }))).toBe("state_insecure");
    const refusal = await refusalOfAsync(() => own.collect({ mode: "delete" }));
    expect(refusal?.hint).toBe(`Run: chmod 700 ${world.layout.root}`);
    chmodSync(world.layout.root, 0o755);
    expect(world.open().list().length).toBe(1);
  });

  it("by owning it is refused, with the command that mends it", async (context) => {
    if (process.getuid?.() !== 0) context.skip("only root can give a folder away");
    await stage("a");
    chownSync(world.layout.root, 12345, 12345);
    const refusal = refusalOf(() => world.open().list());
    expect(refusal?.code).toBe("state_insecure");
    expect(refusal?.message).toContain("belongs to user 12345");
    expect(refusal?.hint).toContain(`chown -R 0 ${world.layout.root}`);
  });

  it("is refused where a link or a file stands in its place", async () => {
    mkdirSync(join(world.folder, "real"), { mode: 0o700 });
    symlinkSync(join(world.folder, "real"), join(world.folder, "link"));
    writeFileSync(join(world.folder, "file"), "");
    for (const name of ["link", "file"]) {
      const own = world.open({ root: join(world.folder, name) });
      expect(codeOf(() => own.list())).toBe("state_insecure");
      expect(codeOf(() => own.pin({ generation: UNKNOWN, reason: "x" }))).toBe("state_insecure");
    }
    expect(readdirSync(join(world.folder, "real"))).toEqual([]);
  });
});

describe("the index", () => {
  function withIndex(act: (db: Database.Database) => void): void {
    world.store.close();
    const db = new Database(world.layout.index);
    act(db);
    db.close();
  }

  it.each([
    ["with another program's number", (db: Database.Database) => db.pragma("application_id = 252006")],
    [
      "that holds tables and no number",
      (db: Database.Database) => {
        db.pragma("application_id = 0");
        db.pragma("user_version = 0");
      },
    ],
  ])("%s is refused, and left as it is", async (_, spoil) => {
    await stage("a");
    withIndex((db) => {
      spoil(db);
      db.pragma("journal_mode = DELETE");
    });
    const before = readFileSync(world.layout.index);
    const own = world.open();
    for (const act of [() => own.list(), () => own.pin({ generation: UNKNOWN, reason: "x" })]) {
      const refusal = refusalOf(act);
      expect(refusal?.code).toBe("store_unavailable");
      expect(refusal?.message).toContain("database of another program");
    }
    expect(readFileSync(world.layout.index).equals(before)).toBe(true);
  });

  it("that is no database at all is refused, and left as it is", async () => {
    await stage("a");
    world.store.close();
    for (const suffix of ["-wal", "-shm"]) expect(existsSync(world.layout.index + suffix)).toBe(false);
    writeFileSync(world.layout.index, "not a database, but long enough to be taken for one\n".repeat(20));
    const before = readFileSync(world.layout.index, "utf8");
    expect(codeOf(() => world.open().list())).toBe("store_unavailable");
    expect(readFileSync(world.layout.index, "utf8")).toBe(before);
  });

  it("of a newer major is refused by its number", async () => {
    await stage("a");
    withIndex((db) => db.pragma("user_version = 2000"));
    const refusal = refusalOf(() => world.open().list());
    expect(refusal?.code).toBe("store_newer");
    expect(refusal?.message).toBe("The store's index has schema 2; this swarm-gen knows 1.");
    expect(codeOf(() => world.open().pin({ generation: UNKNOWN, reason: "x" }))).toBe("store_newer");
  });

  it("of a newer minor is read and written, and keeps what it has more", async () => {
    const a = await stage("a");
    withIndex((db) => {
      db.exec(
        "ALTER TABLE generation ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'; CREATE TABLE later (x)",
      );
      db.pragma("user_version = 1999");
    });
    const own = world.open();
    expect(own.list().map(({ generation }) => generation)).toEqual([a]);
    const source = writeTree(join(world.folder, "b"), { "version.txt": "b" });
    await own.stage({ source, bare: true, name: "demo" });
    expect(own.activate({ generation: a, profile: "default", by: "me" }).changed).toBe(true);
    own.close();
    withIndex((db) => {
      expect(db.pragma("user_version", { simple: true })).toBe(1999);
      expect(db.prepare("SELECT colour FROM generation").pluck().all()).toEqual(["blue", "blue"]);
    });
  });

  it("is flushed through the disk's own cache, where the system needs to be asked for that", () => {
    const db = openIndex(join(world.folder, "index.sqlite"));
    expect([db.pragma("fullfsync", { simple: true }), db.pragma("synchronous", { simple: true })]).toEqual([
      1, 2,
    ]);
    db.close();
  });

  it("says with full durability that a commit is on disk", async () => {
    await stage("a");
    withIndex((db) => {
      expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
      expect(db.pragma("application_id", { simple: true })).toBe(0x7377676e);
      expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
      expect(db.prepare("SELECT * FROM pragma_foreign_key_check").all()).toEqual([]);
    });
  });
});

describe("a generation whose own file was damaged", () => {
  it("is refused by what reads it, as damage and not as a fault of ours", async () => {
    const a = await stage("a");
    const file = join(world.layout.generation(a), "generation.json");
    chmodSync(file, 0o644);
    writeFileSync(file, "{");
    expect(codeOf(() => world.store.show(a))).toBe("generation_damaged");
    expect((await refusalOfAsync(() => world.store.sums(a)))?.code).toBe("generation_damaged");
    expect((await refusalOfAsync(() => world.store.narHash(a)))?.code).toBe("generation_damaged");
    expect((await refusalOfAsync(() => world.store.diff(a, a)))?.code).toBe("generation_damaged");
    expect(world.store.list().length).toBe(1);
    expect(world.store.why(a).state).toBe("present");
  });

  it.each(["sums", "narHash"] as const)("or is missing stops %s with its name", async (operation) => {
    const a = await stage("a");
    chmodSync(world.layout.generation(a), 0o755);
    rmSync(join(world.layout.generation(a), "version.txt"));
    const refusal = await refusalOfAsync(() => world.store[operation](a));
    expect(refusal?.code).toBe("generation_damaged");
    expect(refusal?.hint).toContain(`swarm-gen repair ${a}`);
  });

  it("is not exported", async () => {
    const a = await stage("a");
    const file = join(world.layout.generation(a), "version.txt");
    chmodSync(file, 0o644);
    writeFileSync(file, "b");
    const target = join(world.folder, "out.tar");
    expect((await refusalOfAsync(() => world.store.exportTo(a, { file: target })))?.code).toBe(
      "generation_damaged",
    );
    expect(existsSync(target)).toBe(false);
  });
});
