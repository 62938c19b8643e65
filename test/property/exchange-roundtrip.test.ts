/** Whatever the checks on a folder accept, its export is imported again under the same id. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { exportArchive } from "../../src/store/exchange/export-archive.ts";
import { readExport } from "../../src/store/exchange/import-archive.ts";
import { checkLinks } from "../../src/store/source/check-links.ts";
import { checkNames, foldName } from "../../src/store/source/check-names.ts";
import { nameProblem } from "../../src/store/source/entry-name.ts";
import type { PlannedEntry } from "../../src/store/source/planned-entry.ts";
import { listingOf, type TreeTable, writeTree } from "../fixtures/archives/generation-tree.ts";
import { planOf } from "../fixtures/plan-of.ts";

const name = fc
  .oneof(
    fc.constantFrom(
      "a",
      "b",
      "lib",
      "n".repeat(99),
      "n".repeat(100),
      "n".repeat(155),
      "é".repeat(60),
      "x.y",
      "x",
      "x0",
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  )
  .filter((one) => nameProblem(one) === null && Buffer.from(one).toString() === one);

const targetPart = fc.oneof(
  name,
  fc.constantFrom("..", ".", "", "C:", "..\\\\x", "a\u0007b", "long-".repeat(30)),
);

const entry = fc.oneof(
  fc.record({
    content: fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)),
    executable: fc.boolean(),
  }),
  fc.record({ target: fc.array(targetPart, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/")) }),
  fc.constant("folder" as const),
);

/** Paths of which none is another's folder, and no two of one folded name. */
const table = fc
  .array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), entry), { minLength: 1, maxLength: 12 })
  .map((pairs): TreeTable => {
    const taken = new Map<string, string>();
    const kept: [string, TreeTable[string]][] = [];
    for (const [parts, one] of pairs) {
      const prefixes = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
      const fits = prefixes.every((prefix, at) => {
        const known = taken.get(foldName(prefix));
        return known === undefined || (known === `${prefix}/` && at < prefixes.length - 1);
      });
      if (!fits) continue;
      for (const [at, prefix] of prefixes.entries()) {
        taken.set(foldName(prefix), at < prefixes.length - 1 ? `${prefix}/` : prefix);
      }
      kept.push([parts.join("/"), one]);
    }
    return Object.fromEntries(kept);
  })
  .filter((tree) => Object.keys(tree).every((path) => Buffer.byteLength(path) <= 1000))
  .filter((tree) => {
    const plan = planOf(entriesOf(tree));
    return checkLinks(plan).length === 0 && checkNames(plan.tree).length === 0;
  });

function entriesOf(tree: TreeTable): Exclude<PlannedEntry, { kind: "file" }>[] {
  return Object.entries(tree).map(([path, one]) => {
    if (one === "folder") return { kind: "folder", path };
    if ("target" in one) return { kind: "link", path, target: one.target };
    return { kind: "bytes", path, bytes: Buffer.from(one.content), executable: one.executable ?? false };
  });
}

it("a random tree comes back under its id, and exports to the same bytes again", async () => {
  await fc.assert(
    fc.asyncProperty(table, async (tree) => {
      const world = fs.mkdtempSync(join(tmpdir(), "roundtrip-"));
      try {
        const { id, bytes: listing } = listingOf(tree);
        const from = join(world, "tree");
        writeTree(from, tree);
        const first = await exported(id, listing, from);
        const archive = join(world, "a.tar");
        fs.writeFileSync(archive, first);
        const into = join(world, "into");
        fs.mkdirSync(into);
        const read = await readExport({ fs, archive, into });
        expect(read.claimed).toBe(id);
        expect(read.listing.bytes.equals(listing)).toBe(true);
        expect((await exported(id, listing, into)).equals(first)).toBe(true);
      } finally {
        fs.rmSync(world, { recursive: true, force: true });
      }
    }),
    { numRuns: 100 },
  );
});

async function exported(id: string, listing: Buffer, tree: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await exportArchive({ fs, id, listing, tree, write: async (piece) => void pieces.push(piece) });
  return Buffer.concat(pieces);
}
