import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

let world: StoreWorld;
let source: string;

beforeEach(() => {
  world = createStoreWorld({ threads: false });
  source = writeTree(join(world.folder, "source"), { "main.js": "1\n" });
});

afterEach(() => world.remove());

/** Another program's hand on the index: what the store must not do to a table fails from now on. */
function forbid(what: string): void {
  const db = new Database(world.layout.index);
  db.exec(`CREATE TRIGGER forbidden BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'forbidden by a test'); END`);
  db.close();
}

describe("what was done is not called failed", () => {
  it("for a pin that could not be released when the store closes", async () => {
    const store = world.open();
    const { generation } = await store.stage({ source, bare: true, hold: true });
    forbid("DELETE ON pin");
    expect(() => store.close()).not.toThrow();
    expect(world.open().show(generation).pins).toHaveLength(1);
  });

  it("for a staging folder that could not be taken from the index after a publication", async () => {
    await world.store.stage({ source, bare: true });
    forbid("DELETE ON staging");
    const other = writeTree(join(world.folder, "other"), { "main.js": "2\n" });
    expect(await world.store.stage({ source: other, bare: true })).toMatchObject({ new: true });
    expect(world.store.list()).toHaveLength(2);
  });
});

it("a damaged index is told as such by launch pins and admission, too", async () => {
  const { generation } = await world.store.stage({ source, bare: true });
  world.store.close();
  const db = new Database(world.layout.index);
  db.unsafeMode();
  db.pragma("writable_schema = ON");
  db.exec("UPDATE sqlite_master SET rootpage = 9999 WHERE name IN ('pin', 'admission')");
  db.close();
  const ticket = { launchId: "a", generation, profile: "default", scope: "s", ledgerInstance: "i" };
  expect(() => world.open().launches.reserve(ticket)).toThrow(
    expect.objectContaining({ code: "store_unavailable" }),
  );
  expect(() => world.open().admission.read("default")).toThrow(
    expect.objectContaining({ code: "store_unavailable" }),
  );
});

it("a large file that grows faster than it is read does not fill the disk", async () => {
  const growing = join(source, "log");
  writeFileSync(growing, Buffer.alloc(3 * 1024 * 1024));
  const { fs } = world.deps;
  let written = 0;
  const readSync = ((...args: Parameters<typeof fs.readSync>) => {
    if (written < 200 * 1024 * 1024) appendFileSync(growing, Buffer.alloc(1024 * 1024));
    return fs.readSync(...args);
  }) as typeof fs.readSync;
  const writeSync = ((...args: Parameters<typeof fs.writeSync>) => {
    const count = fs.writeSync(...args);
    written += count;
    return count;
  }) as typeof fs.writeSync;
  const store = world.open({ fs: { ...fs, readSync, writeSync } });
  await expect(store.stage({ source, bare: true })).rejects.toMatchObject({ code: "source_refused" });
  expect(written).toBeLessThan(100 * 1024 * 1024);
  expect(readdirSync(world.layout.generations)).toEqual([]);
});
