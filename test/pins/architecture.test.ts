/** ARCHITECTURE.md speaks of files, folders and tests that exist, and leaves none of the folders out. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = new URL("../..", import.meta.url).pathname;
const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");

test("every file that it names is there", () => {
  const named = [...text.matchAll(/`((?:src|bin|scripts|test|generations)\/[\w./-]+)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("every folder of src and of the store is on its map", () => {
  const folders = (path: string) =>
    readdirSync(join(ROOT, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  const missing = [
    ...folders("src").filter((name) => !text.includes(`\nsrc/${name}/`)),
    ...folders("src/store").filter((name) => !new RegExp(`\n  ${name}/ `).test(text)),
  ];
  expect(missing).toEqual([]);
});

test("each of the invariants has tests, which are there by the names that are quoted", () => {
  const rows = [...text.matchAll(/^\| ((?:STORE|GATE|LEDGER)-\d) \|.*$/gm)].map(
    ([row, name]) => [name, row] as const,
  );
  expect(rows.map(([name]) => name)).toEqual([
    ...["STORE-1", "STORE-2", "STORE-3", "STORE-4", "GATE-1"],
    ...["LEDGER-1", "LEDGER-2", "LEDGER-3", "LEDGER-4", "LEDGER-5", "LEDGER-6", "LEDGER-7"],
  ]);
  const wrong = rows.flatMap(([name, row]) => {
    const cited = [...row.matchAll(/\[[\w-]+\]\((test\/[\w./-]+)\): ((?:"[^"]+"(?:, )?)+)/g)];
    if (cited.length === 0) return [`${name} cites no test`];
    return cited.flatMap(([, file = "", claims = ""]) => {
      const tests = readFileSync(join(ROOT, file), "utf8");
      return [...claims.matchAll(/"([^"]+)"/g)]
        .filter(([, claim = ""]) => !tests.includes(claim))
        .map(([, claim]) => `${name}: ${file} has no "${claim}"`);
    });
  });
  expect(wrong).toEqual([]);
});
