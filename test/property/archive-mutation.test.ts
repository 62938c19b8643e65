/**
 * An archive that was changed anywhere is refused with a coded error or is the same tree, and never
 * reaches beyond its folder. The changes include headers whose checksum was made right again, so
 * that they get past the first check.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { exportArchive } from "../../src/store/exchange/export-archive.ts";
import { readExport } from "../../src/store/exchange/import-archive.ts";
import { unpackPackage } from "../../src/store/source/archive/unpack-package.ts";
import { listingOf, type TreeTable, writeTree } from "../fixtures/archives/generation-tree.ts";
import { type ArchiveWorld, createArchiveWorld } from "../fixtures/archives/world.ts";

const TABLE: TreeTable = {
  "bin/link": { target: "../lib/a" },
  "bin/run": { content: "#!/bin/sh\n", executable: true },
  empty: "folder",
  "lib/a": { content: "a".repeat(700) },
  [`lib/${"long-".repeat(30)}/é`]: { content: "b" },
};

interface Change {
  readonly at: number;
  readonly bytes: Uint8Array;
  readonly kind: "replace" | "insert" | "delete" | "swap";
  readonly mendChecksums: boolean;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  // Bytes that mean something in a header come often.
  bytes: fc
    .uint8Array({ minLength: 1, maxLength: 8 })
    .chain((random) =>
      fc.constantFrom(
        random,
        ...["0", "1", "2", "5", "x", "g", "L", "K", "../", "/", "\\", "\0", "\u00ff", "777", "\n"].map(
          (text) => Buffer.from(text, "latin1"),
        ),
      ),
    ),
  kind: fc.constantFrom("replace", "insert", "delete", "swap"),
  mendChecksums: fc.boolean(),
});

async function withWorld<Result>(act: (world: ArchiveWorld) => Promise<Result>): Promise<Result> {
  const world = createArchiveWorld();
  try {
    return await act(world);
  } finally {
    world.remove();
  }
}

const original: Promise<Buffer> = withWorld(async (world) => {
  const tree = join(world.folder, "tree");
  writeTree(tree, TABLE);
  const { id, bytes: listing } = listingOf(TABLE);
  const pieces: Uint8Array[] = [];
  await exportArchive({ fs, id, listing, tree, write: async (piece) => void pieces.push(piece) });
  return Buffer.concat(pieces);
});

it("a changed export is refused with a coded error, or holds the same generation", async () => {
  const { id } = listingOf(TABLE);
  const outcomes = { same: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      await withWorld(async (world) => {
        const archive = world.archive(changed(await original, changes));
        const before = world.snapshot();
        const read = await readExport({ fs, archive, into: world.into }).catch(codedErrorOnly);
        if (read === null) outcomes.refused += 1;
        else outcomes.same += 1;
        expect(read?.claimed ?? id).toBe(id);
        expect(world.snapshot()).toEqual(before);
      });
    }),
    { numRuns: 300 },
  );
  expect(outcomes.refused).toBeGreaterThan(100);
});

it("a changed package is refused with a coded error, or stays inside its folder", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      await withWorld(async (world) => {
        const archive = world.archive(
          changed(
            await original,
            changes.map((one) => ({ ...one, mendChecksums: true })),
          ),
        );
        const before = world.snapshot();
        const unpacked = await unpackPackage({ fs, archive, into: world.into }).catch(codedErrorOnly);
        expect(world.snapshot()).toEqual(before);
        if (unpacked !== null)
          for (const path of linksBelow(world.into)) expect(leadsInside(path, world.into)).toBe(true);
      });
    }),
    { numRuns: 300 },
  );
});

function codedErrorOnly(error: unknown): null {
  expect(error).toBeInstanceOf(CodedError);
  expect(["source_refused", "generation_damaged"]).toContain((error as CodedError).code);
  return null;
}

function changed(bytes: Buffer, changes: readonly Change[]): Buffer {
  return changes.reduce((before, one) => {
    const at = one.at % before.length;
    const block = before.subarray(at - (at % 512), at - (at % 512) + 512);
    const after = {
      replace: () =>
        Buffer.concat([before.subarray(0, at), one.bytes, before.subarray(at + one.bytes.length)]),
      insert: () =>
        Buffer.concat([before.subarray(0, at - (at % 512)), block, before.subarray(at - (at % 512))]),
      delete: () =>
        Buffer.concat([before.subarray(0, at - (at % 512)), before.subarray(at - (at % 512) + 512)]),
      swap: () => Buffer.concat([block, before]),
    }[one.kind]();
    return one.mendChecksums ? withRightChecksums(after) : after;
  }, bytes);
}

/** Gives every block that looks like a header the checksum that it should have. */
function withRightChecksums(bytes: Buffer): Buffer {
  const mended = Buffer.from(bytes);
  for (let at = 0; at + 512 <= mended.length; at += 512) {
    const block = mended.subarray(at, at + 512);
    if (block.toString("latin1", 257, 262) !== "ustar") continue;
    block.fill(0x20, 148, 156);
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8, "latin1");
  }
  return mended;
}

function linksBelow(root: string): string[] {
  return fs
    .readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => join(root, path))
    .filter((path) => fs.lstatSync(path).isSymbolicLink());
}

/** By the kernel's own word; a link that leads to nothing leads nowhere. */
function leadsInside(path: string, root: string): boolean {
  try {
    return fs.realpathSync(path).startsWith(fs.realpathSync(root));
  } catch {
    return true;
  }
}
