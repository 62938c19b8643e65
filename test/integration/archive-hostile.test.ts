/** T5, T6: every hostile archive is refused by name, and nothing outside is touched. */
import * as fs from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readExport } from "../../src/store/exchange/import-archive.ts";
import { ARCHIVE_BOUNDS } from "../../src/store/source/archive/archive-bounds.ts";
import { unpackPackage } from "../../src/store/source/archive/unpack-package.ts";
import { hostileArchives } from "../fixtures/archives/hostile-archives.ts";
import { type ArchiveWorld, createArchiveWorld, describeTree } from "../fixtures/archives/world.ts";

const READERS = [
  { reader: "unpackPackage", read: unpackPackage, root: "package" },
  { reader: "readExport", read: readExport, root: "0123456789abcdef".repeat(4) },
] as const;

let world: ArchiveWorld;
beforeEach(() => {
  world = createArchiveWorld();
});
afterEach(() => world.remove());

it("the corpus holds at least 150 cases, no two of one name", () => {
  const names = hostileArchives({ root: "package", outside: "/outside" }).map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(150);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(READERS)("$reader", ({ read, root }) => {
  const cases = hostileArchives({ root, outside: "/outside" });
  it.each(cases.map(({ name, kind }) => ({ name, kind })))(
    "refuses $name as $kind",
    async ({ name, kind }) => {
      const hostile = hostileArchives({ root, outside: world.outside }).find((one) => one.name === name)!;
      const archive = world.archive(hostile.bytes());
      const before = world.snapshot();

      const refusal = await refusedBy(() =>
        read({ fs, archive, into: world.into, bounds: { ...ARCHIVE_BOUNDS, ...hostile.bounds } }),
      );

      expect(refusal).toMatchObject({ code: "source_refused" });
      expect(refusal.fields.findings.map((found) => found.kind)).toContain(kind);
      expect(world.snapshot()).toEqual(before);
      // What was written before the fault was seen is files and folders only.
      for (const line of describeTree(world.into)) expect(line).toMatch(/(\/ 700|[0-9a-f]{64})$/);
    },
  );
});

interface Refusal {
  readonly code: string;
  readonly fields: { readonly findings: readonly { readonly kind: string }[] };
}

async function refusedBy(act: () => Promise<unknown>): Promise<Refusal> {
  try {
    await act();
  } catch (error) {
    return error as Refusal;
  }
  throw new Error("it was accepted");
}
