import { constants, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createStoreWorld, writeTree } from "../fixtures/store-world.ts";

/** Ports on which every clone succeeds, as on Btrfs, XFS or APFS; a copy stands in for its sharing. */
function cloningWorld() {
  const clones: string[] = [];
  const world = createStoreWorld({ threads: false });
  const { fs } = world.deps;
  const copyFileSync: typeof fs.copyFileSync = (from, to, mode = 0) => {
    fs.copyFileSync(from, to, mode & ~constants.COPYFILE_FICLONE_FORCE);
    if ((mode & constants.COPYFILE_FICLONE_FORCE) !== 0) clones.push(String(to));
  };
  return { world, clones, store: world.open({ fs: { ...fs, copyFileSync } }) };
}

it("on a file system that clones, generations share no inode, verify, and are collected to the last blob", async () => {
  const { world, clones, store } = cloningWorld();
  try {
    const stage = (text: string) =>
      store.stage({
        source: writeTree(join(world.folder, text), { "a.js": text, "b/common.txt": "common" }),
        bare: true,
      });
    const [one, two] = [await stage("1"), await stage("2")];
    expect(clones.filter((to) => to.endsWith("b/common.txt"))).toHaveLength(1);
    expect(two.reused.files).toBe(1);
    for (const { generation } of [one, two]) {
      const { nlink, mode } = lstatSync(join(world.layout.generation(generation), "b/common.txt"));
      expect([nlink, mode & 0o7777]).toEqual([1, 0o444]);
    }
    expect(await store.verify({})).toMatchObject({ ok: true, checked: 2 });
    expect(await store.verify({ quick: true })).toMatchObject({ ok: true, checked: 2 });
    expect(store.show(two.generation).importMethods).toMatchObject({ reflink: 1 });
    await store.collect({ mode: "delete", olderThanMs: 0 });
    const { blobs } = world.layout;
    expect(readdirSync(blobs).flatMap((folder) => readdirSync(join(blobs, folder)))).toEqual([]);
  } finally {
    world.remove();
  }
});
