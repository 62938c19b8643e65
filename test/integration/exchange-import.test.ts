/** An import gives the exported tree back, and nothing else under its id. */
import * as fs from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { exportArchive } from "../../src/store/exchange/export-archive.ts";
import { type ImportedFile, readExport } from "../../src/store/exchange/import-archive.ts";
import { listingOf, type TreeTable, writeTree } from "../fixtures/archives/generation-tree.ts";
import { file, folder, link, tar } from "../fixtures/archives/raw-tar.ts";
import { type ArchiveWorld, createArchiveWorld, describeTree } from "../fixtures/archives/world.ts";

const LONG_PART = "part-of-a-long-path-".repeat(6);
const TABLE: TreeTable = {
  "generation.json": { content: "{}\n" },
  "bin/run": { content: "#!/bin/sh\necho hi\n", executable: true },
  "bin/link": { target: "../lib/./run" },
  empty: "folder",
  "nested/empty": "folder",
  [`lib/${LONG_PART}/${LONG_PART}/Grüße`]: { content: Buffer.alloc(600_000, 9) },
  "lib/nothing": { content: "" },
  "lib/a link": { target: `${LONG_PART}/${LONG_PART}/Grüße` },
};

let world: ArchiveWorld;
beforeEach(() => {
  world = createArchiveWorld();
});
afterEach(() => world.remove());

async function exported(table: TreeTable): Promise<Buffer> {
  const tree = join(world.folder, "tree");
  writeTree(tree, table);
  const { id, bytes: listing } = listingOf(table);
  const pieces: Uint8Array[] = [];
  await exportArchive({ fs, id, listing, tree, write: async (piece) => void pieces.push(piece) });
  return Buffer.concat(pieces);
}

it("the listing, the id and the tree come back as they were", async () => {
  const archive = world.archive(await exported(TABLE));
  const files: ImportedFile[] = [];
  const read = await readExport({ fs, archive, into: world.into, onFile: (one) => files.push(one) });
  const { id, bytes } = listingOf(TABLE);
  expect(read.claimed).toBe(id);
  expect(read.listing.bytes.equals(bytes)).toBe(true);
  const kinds = (root: string) => describeTree(root).map((line) => line.replace(/(\/)? [0-7]+( 1|$)/, "$1"));
  expect(kinds(world.into)).toEqual(kinds(join(world.folder, "tree")));
  expect(files.map(({ path, size, executable }) => [path, size, executable])).toEqual([
    ["bin/run", 18, true],
    ["generation.json", 3, false],
    ["lib/nothing", 0, false],
    [`lib/${LONG_PART}/${LONG_PART}/Grüße`, 600_000, false],
  ]);
  for (const { at, executable } of files) {
    expect(fs.statSync(at).mode & 0o7777).toBe(executable ? 0o555 : 0o444);
    expect(fs.statSync(at).mtimeMs).toBe(315_619_200_000);
  }
});

it("a gzipped export is read as well", async () => {
  const archive = world.archive(gzipSync(await exported(TABLE)));
  const { claimed } = await readExport({ fs, archive, into: world.into });
  expect(claimed).toBe(listingOf(TABLE).id);
});

it("another id than the one that was asked for is refused with both", async () => {
  const archive = world.archive(await exported(TABLE));
  const expected = "0".repeat(64);
  await expect(readExport({ fs, archive, into: world.into, expect: expected })).rejects.toMatchObject({
    code: "generation_damaged",
    fields: { expected, found: listingOf(TABLE).id },
  });
});

it("content that is not the claimed id's is refused with both", async () => {
  const table: TreeTable = { "generation.json": { content: "{}\n" } };
  const { id } = listingOf(table);
  const archive = world.archive(tar(folder(`${id}/`), file(`${id}/generation.json`, "{ }")));
  await expect(readExport({ fs, archive, into: world.into })).rejects.toMatchObject({
    code: "generation_damaged",
    fields: { expected: id, found: listingOf({ "generation.json": { content: "{ }" } }).id },
  });
});

it.each([
  ["an added file", (id: string) => [file(`${id}/a`, "a"), file(`${id}/b`, "")]],
  ["an added empty folder", (id: string) => [file(`${id}/a`, "a"), folder(`${id}/b/`)]],
  ["an added link", (id: string) => [file(`${id}/a`, "a"), link(`${id}/b`, "a")]],
  ["a missing file", (id: string) => [folder(`${id}/`)]],
  ["a link in place of a file", (id: string) => [link(`${id}/a`, "b")]],
] as const)("%s is damage", async (_, parts) => {
  const { id } = listingOf({ a: { content: "a" } });
  const archive = world.archive(tar(...parts(id)));
  await expect(readExport({ fs, archive, into: world.into })).rejects.toMatchObject({
    code: "generation_damaged",
  });
});

it("a top folder that is no id is no export", async () => {
  const archive = world.archive(tar(file("package/a", "a")));
  await expect(readExport({ fs, archive, into: world.into })).rejects.toMatchObject({
    code: "source_refused",
    fields: { findings: [{ kind: "archive-root", path: "package" }] },
  });
});

it("an archive that changes while it is read is refused", async () => {
  const archive = world.archive(await exported(TABLE));
  let opened = false;
  const openSync: typeof fs.openSync = (path, ...rest) => {
    const descriptor = fs.openSync(path, ...rest);
    if (path === archive) opened = true;
    return descriptor;
  };
  const onFile = (): void => {
    if (opened) fs.utimesSync(archive, 1, 1);
  };
  await expect(
    readExport({ fs: { ...fs, openSync }, archive, into: world.into, onFile }),
  ).rejects.toMatchObject({
    code: "source_refused",
    fields: { findings: [{ kind: "changed" }] },
  });
});

it("a full disk is the system's error, and no descriptor stays open", async () => {
  const archive = world.archive(await exported(TABLE));
  const open = new Set<number>();
  const port = {
    ...fs,
    openSync: ((...args: Parameters<typeof fs.openSync>) => {
      const descriptor = fs.openSync(...args);
      open.add(descriptor);
      return descriptor;
    }) as typeof fs.openSync,
    closeSync: (descriptor: number) => {
      open.delete(descriptor);
      fs.closeSync(descriptor);
    },
    writeSync: (() => {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    }) as typeof fs.writeSync,
  };
  await expect(readExport({ fs: port, archive, into: world.into })).rejects.toMatchObject({ code: "ENOSPC" });
  expect(open.size).toBe(0);
});
