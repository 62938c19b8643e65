/** docs/formats.md says what the code writes: its numbers, keys and first lines are compared. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FIXED_MTIME_S } from "../../src/store/identity/fixed-times.ts";
import { buildListing } from "../../src/store/identity/listing.ts";
import { APPLICATION_ID, MIGRATIONS, SCHEMA_MAJOR } from "../../src/store/index/migrations.ts";
import { createLayout } from "../../src/store/layout.ts";
import { generationFileSchema } from "../../src/store/source/generation-file-schema.ts";
import { recipeSchema } from "../../src/store/source/recipe.ts";

const text = readFileSync(new URL("../../docs/formats.md", import.meta.url), "utf8");

/** The part of the document below a heading. */
function section(heading: string): string {
  const start = text.indexOf(`\n## ${heading}\n`);
  expect(start, heading).toBeGreaterThan(0);
  const end = text.indexOf("\n## ", start + 1);
  return text.slice(start, end < 0 ? undefined : end);
}

const firstCells = (part: string) => [...part.matchAll(/^\| `([\w$]+)` \|/gm)].map(([, cell]) => cell);

test("the keys of generation.json and of a recipe are the documented ones", () => {
  expect(firstCells(section("generation.json")).toSorted()).toEqual(
    Object.keys(generationFileSchema.shape).toSorted(),
  );
  const ofRecipe = Object.keys(recipeSchema.shape).filter((key) => key !== "$schema");
  expect(firstCells(section("Recipe")).toSorted()).toEqual(ofRecipe.toSorted());
});

test("the index has the documented identity, version and tables", () => {
  const part = section("Index");
  expect(part).toContain(`0x${APPLICATION_ID.toString(16)}`);
  expect(part).toContain(`now ${SCHEMA_MAJOR * 1000 + MIGRATIONS.length}.`);
  const tables = [...MIGRATIONS.join("").matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name);
  expect(firstCells(part).toSorted()).toEqual(tables.toSorted());
});

test("a listing begins as documented, and the fixed time is the documented one", () => {
  const { bytes } = buildListing([]);
  expect(bytes.toString()).toBe("swarm-gen listing 1\n");
  expect(section("Listing, format 1")).toContain('"swarm-gen listing 1" LF');
  expect(section("Store")).toContain(`modification time ${FIXED_MTIME_S} `);
  expect(section("Export archive")).toContain(`mtime ${FIXED_MTIME_S}.`);
});

test("every folder of a store is documented", () => {
  const { root, generations, manifests, blobs, builds, statCache, profiles, index } = createLayout("/s");
  const part = section("Store");
  for (const path of [generations, manifests, blobs, builds, statCache, profiles, index]) {
    expect(part).toContain(`\n  ${path.slice(root.length + 1)}`);
  }
});
