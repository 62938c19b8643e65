/** The link check against the kernel: random trees of links, made for real, and where they lead. */
import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkLinks, createLinkResolver } from "../../src/store/source/check-links.ts";
import { checkNames } from "../../src/store/source/check-names.ts";
import { nameProblem } from "../../src/store/source/entry-name.ts";
import type { PlannedEntry } from "../../src/store/source/planned-entry.ts";
import { planOf } from "../fixtures/plan-of.ts";

type Entry = Exclude<PlannedEntry, { kind: "file" }>;

const name = fc.constantFrom("a", "b", "c");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const target = fc
  .array(fc.constantFrom("a", "b", "c", "..", "..", "."), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join("/"));
const trees = fc.array(fc.tuple(path, fc.option(target)), { minLength: 1, maxLength: 8 });

/** Makes the tree below `root`, and returns what of it could stand beside each other. */
function make(root: string, tree: readonly (readonly [string, string | null])[]): Entry[] {
  const entries: Entry[] = [];
  for (const [at, to] of tree) {
    const entry: Entry = to === null ? { kind: "folder", path: at } : { kind: "link", path: at, target: to };
    if (
      checkNames(planOf([...entries, entry]).tree).length > 0 ||
      entries.some((other) => other.path.startsWith(`${at}/`))
    )
      continue;
    mkdirSync(dirname(join(root, at)), { recursive: true });
    if (to === null) mkdirSync(join(root, at), { recursive: true });
    else symlinkSync(to, join(root, at));
    entries.push(entry);
  }
  return entries;
}

test("a link that the check lets pass is never resolved outside by the kernel, and ends where it says", () => {
  fc.assert(
    fc.property(trees, (tree) => {
      const outside = realpathSync(mkdtempSync(join(tmpdir(), "swarm-gen-links-")));
      // Names outside that a link could find if it came out.
      const root = join(outside, "a/b/c/root");
      mkdirSync(root, { recursive: true });
      try {
        const entries = make(root, tree);
        const refused = new Set(checkLinks(entries).map((finding) => finding.path));
        const resolver = createLinkResolver(entries);
        for (const entry of entries) {
          if (entry.kind !== "link" || refused.has(entry.path)) continue;
          const real = realOf(join(root, entry.path));
          if (real === null) continue;
          expect(real === root || real.startsWith(`${root}/`), `${entry.path} -> ${entry.target}`).toBe(true);
          expect(resolver.resolve(entry.path)).toEqual({ kind: "inside", path: real.slice(root.length + 1) });
        }
        // And nothing is refused that the kernel resolves inside, but for what passes through outside.
        for (const entry of entries) {
          if (entry.kind !== "link" || !refused.has(entry.path)) continue;
          const end = resolver.resolve(entry.path);
          if (end.kind === "loops") expect(realOf(join(root, entry.path))).toBeNull();
        }
        expect(
          entries.every(
            (entry) => entry.kind !== "link" || readlinkSync(join(root, entry.path)) === entry.target,
          ),
        ).toBe(true);
      } finally {
        rmSync(outside, { recursive: true });
      }
    }),
    { numRuns: 200 },
  );
});

function realOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    // Dangling, or a loop: it leads nowhere.
    return null;
  }
}

test("two names that Unicode or case make equal collide, wherever they stand in the plan", () => {
  const names = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
    .filter((text) => nameProblem(text) === null);
  const folders = fc.array(fc.constantFrom("x", "y"), { maxLength: 3 });
  const bytes = new Uint8Array();
  fc.assert(
    fc.property(names, folders, fc.uniqueArray(path, { maxLength: 5 }), (one, parents, others) => {
      const forms = [one.normalize("NFC"), one.normalize("NFD"), one.toUpperCase(), one.toLowerCase()];
      const variants = [...new Set([one, ...forms])].filter((form) => nameProblem(form) === null);
      const file = (leaf: string): Entry => ({
        kind: "bytes",
        path: [...parents, leaf].join("/"),
        executable: false,
        bytes,
      });
      const rest = others.map((at): Entry => ({ kind: "folder", path: `rest/${at}` }));
      const found = checkNames(planOf([file(variants[0]!), ...rest, ...variants.slice(1).map(file)]).tree);
      expect(found.map(({ kind }) => kind)).toEqual(variants.slice(1).map(() => "name-collision"));
    }),
    { numRuns: 1000 },
  );
});
