/** T5, T6 through the store's own doors: a hostile source leaves neither a generation nor a trace. */
import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { advisoryCases } from "../fixtures/archives/advisory-cases.ts";
import { hostileFolders } from "../fixtures/archives/hostile-folders.ts";
import { describeTree } from "../fixtures/archives/world.ts";
import { createStoreWorld, type StoreWorld } from "../fixtures/store-world.ts";

let world: StoreWorld;
let outside: string;
beforeEach(() => {
  world = createStoreWorld();
  outside = join(world.folder, "outside");
  fs.mkdirSync(outside);
  fs.writeFileSync(join(outside, "canary"), "canary\n", { mode: 0o600 });
});
afterEach(() => world.remove());

/** Everything but the source itself, and but the index, whose bytes may change where no row does. */
function traces(): readonly string[] {
  const source = join(world.folder, "source");
  return describeTree(world.folder, "", source).filter((line) => !line.startsWith("store/index.sqlite"));
}

/** The store's own folders are made by the first stage; answers what it holds then. */
async function stageSomethingFine(): Promise<ReturnType<StoreWorld["store"]["list"]>> {
  const fine = join(world.folder, "fine");
  fs.mkdirSync(fine);
  fs.writeFileSync(join(fine, "a"), "fine\n");
  await world.store.stage({ source: fine, bare: true });
  return world.store.list();
}

async function refused(act: Promise<unknown>): Promise<readonly string[]> {
  const error = await act.then(
    () => expect.fail("it was accepted"),
    (reason) => reason,
  );
  expect(error).toMatchObject({ code: "source_refused" });
  return error.fields.findings.map(({ kind }: { readonly kind: string }) => kind);
}

describe("a folder", () => {
  it.each(hostileFolders)("$name is refused as $kind", async ({ make, kind }) => {
    const source = join(world.folder, "source");
    fs.mkdirSync(source);
    fs.writeFileSync(join(source, "fine"), "fine\n");
    make(source, outside);
    const held = await stageSomethingFine();
    const before = traces();

    expect(await refused(world.store.stage({ source, bare: true }))).toContain(kind);

    expect(traces()).toEqual(before);
    expect(world.store.list()).toEqual(held);
  });
});

describe("an archive", () => {
  const root = "0123456789abcdef".repeat(4);
  const cases = advisoryCases({ root, outside: "/outside" }).map(({ name, kind }, at) => ({
    name,
    kind,
    at,
  }));

  it.each(cases)("$name is refused by stage and import", async ({ kind, at }) => {
    const archive = join(world.folder, "archive");
    fs.writeFileSync(archive, advisoryCases({ root, outside })[at]!.bytes());
    const held = await stageSomethingFine();
    const before = traces();

    expect(await refused(world.store.stage({ source: archive, bare: true }))).toContain(kind);
    expect(await refused(world.store.importFrom({ archive }))).toContain(kind);

    expect(traces()).toEqual(before);
    expect(world.store.list()).toEqual(held);
  });
});

it("a file that is hard-linked to outside is copied, and never shares its inode", async () => {
  const source = join(world.folder, "source");
  fs.mkdirSync(source);
  fs.linkSync(join(outside, "canary"), join(source, "a"));
  const { generation } = await world.store.stage({ source, bare: true });
  const staged = join(world.layout.generation(generation), "a");
  fs.writeFileSync(join(outside, "canary"), "changed\n");
  expect(fs.readFileSync(staged, "utf8")).toBe("canary\n");
  expect(fs.statSync(staged).ino).not.toBe(fs.statSync(join(outside, "canary")).ino);
});
