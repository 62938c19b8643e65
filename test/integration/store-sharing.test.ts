/** T1: contents that several generations share, and what a write through one of their links does. */
import { chmodSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createStoreWorld, writeTree } from "../fixtures/store-world.ts";
import { overwrite } from "../fixtures/tampering.ts";

describe("generations that share an inode (T1)", () => {
  it("are reported by verify, stay reported after another was mended, and are mended each by itself", async () => {
    const linked = createStoreWorld({ importChoice: "hardlink" });
    try {
      const first = writeTree(join(linked.folder, "first"), { "a.js": "aaaa\n", one: "1" });
      const second = writeTree(join(linked.folder, "second"), { "b/a.js": "aaaa\n", two: "2" });
      const one = (await linked.store.stage({ source: first, bare: true, name: "one" })).generation;
      const two = (await linked.store.stage({ source: second, bare: true, name: "two" })).generation;
      overwrite(join(linked.layout.generation(one), "a.js"), "aaab\n");

      const places = async () =>
        (await linked.store.verify({})).damage.map(({ generation, path }) => [
          generation === one ? 1 : 2,
          path,
        ]);
      expect(await places()).toEqual([
        [1, "a.js"],
        [2, "b/a.js"],
      ]);
      await linked.store.repair({ generation: one, from: first });
      expect(await places()).toEqual([[2, "b/a.js"]]);
      // The blob is good again by now, so the second needs no source.
      await linked.store.repair({ generation: two });
      expect(await places()).toEqual([]);
      const third = writeTree(join(linked.folder, "third"), { "c.js": "aaaa\n" });
      const { generation } = await linked.store.stage({ source: third, bare: true, name: "three" });
      expect(readFileSync(join(linked.layout.generation(generation), "c.js"), "utf8")).toBe("aaaa\n");
      expect((await linked.store.verify({})).ok).toBe(true);
    } finally {
      linked.remove();
    }
  });

  it.each([
    ["mode", (at: string) => chmodSync(at, 0o644)],
    ["time", (at: string) => utimesSync(at, 1, 1)],
  ])("after a repair of its %s the content is shared soundly again", async (_, damage) => {
    const linked = createStoreWorld({ importChoice: "hardlink" });
    try {
      const first = writeTree(join(linked.folder, "first"), { "a.js": "aaaa\n", one: "1" });
      const one = (await linked.store.stage({ source: first, bare: true, name: "one" })).generation;
      damage(join(linked.layout.generation(one), "a.js"));
      await linked.store.repair({ generation: one });
      const second = writeTree(join(linked.folder, "second"), { "b/a.js": "aaaa\n", two: "2" });
      await linked.store.stage({ source: second, bare: true, name: "two" });
      expect(await linked.store.verify({})).toMatchObject({ ok: true, checked: 2, damage: [] });
    } finally {
      linked.remove();
    }
  });

  it.each([
    ["hardlink", "longer", (at: string) => writeFileSync(at, "aaaa and more\n")],
    ["hardlink", "as long, at another time", (at: string) => writeFileSync(at, "zzzz\n")],
    ["hardlink", "writable", (at: string) => chmodSync(at, 0o644)],
    ["copy", "longer", (at: string) => writeFileSync(at, "aaaa and more\n")],
  ] as const)(
    "by %s: a content that became %s is not handed to the next generation",
    async (importChoice, _, damage) => {
      const own = createStoreWorld({ importChoice });
      try {
        const first = writeTree(join(own.folder, "first"), { "a.js": "aaaa\n", one: "1" });
        const one = await own.store.stage({ source: first, bare: true, name: "one" });
        const [file] = (await own.store.files(one.generation)).filter(({ path }) => path === "a.js");
        const blob = own.layout.blob(file!.digest, false);
        chmodSync(blob, 0o644);
        damage(blob);
        const second = writeTree(join(own.folder, "second"), { "b/a.js": "aaaa\n", two: "2" });
        const { generation, reused } = await own.store.stage({ source: second, bare: true, name: "two" });
        expect(reused.files).toBe(0);
        expect((await own.store.verify({ generations: [generation] })).damage).toEqual([]);
        expect(readFileSync(blob, "utf8")).toBe("aaaa\n");
        // The older generation is reported, and mended from the new blob.
        await own.store.repair({ generation: one.generation });
        expect((await own.store.verify({})).ok).toBe(true);
      } finally {
        own.remove();
      }
    },
  );
});
