/** docs/formats.md says what a ledger is: its identity, version and tables, and the files beside it. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { declaredSchema } from "../../src/coordinator/schema/declared-schema.ts";
import { APPLICATION_ID, MIGRATIONS } from "../../src/coordinator/schema/migrations.ts";
import { scopeLayout } from "../../src/operations/scope/scope-layout.ts";

const text = readFileSync(new URL("../../docs/formats.md", import.meta.url), "utf8");

function section(heading: string): string {
  const start = text.indexOf(`\n## ${heading}\n`);
  expect(start, heading).toBeGreaterThan(0);
  return text.slice(start, text.indexOf("\n## ", start + 1));
}

test("the ledger has the documented identity, version and tables", () => {
  const part = section("Ledger");
  const { major, minor } = MIGRATIONS.at(-1) ?? { major: 0, minor: 0 };
  expect(part).toContain(`0x${APPLICATION_ID.toString(16)}`);
  expect(part).toContain(`now ${major * 1000 + minor}.`);
  const documented = [...part.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(documented.toSorted()).toEqual([...declaredSchema(MIGRATIONS).tables.keys()].toSorted());
});

test("every file of a scope's folder is documented", () => {
  const part = section("Scope folder");
  const { state: _state, scopes: _scopes, folder: _folder, ...files } = scopeLayout("/state", "0".repeat(12));
  for (const path of Object.values(files)) expect(part).toContain(basename(path));
});
