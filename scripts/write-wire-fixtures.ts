/**
 * Writes test/fixtures/wire/: the shapes that the newest version of the API promises.
 *
 *   usage   node scripts/write-wire-fixtures.ts [--unreleased]
 *
 * Refuses a shape that changed without the version; `--unreleased` is for a version that nobody has yet.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_VERSIONS } from "../src/kernel/api-version.ts";
import { nextFixture, type WireFixture, wireShapes } from "./wire-shapes.ts";

const folder = new URL("../test/fixtures/wire", import.meta.url).pathname;
const isUnreleased = process.argv.includes("--unreleased");
const [, newest] = API_VERSIONS;

mkdirSync(folder, { recursive: true });
const before = new Map(
  readdirSync(folder).map((file) => [
    file,
    JSON.parse(readFileSync(join(folder, file), "utf8")) as WireFixture,
  ]),
);
const shapes = wireShapes();
for (const [file, shape] of shapes) {
  const fixture = nextFixture(isUnreleased ? null : (before.get(file) ?? null), shape, newest);
  writeFileSync(join(folder, file), `${JSON.stringify(fixture, null, 2)}\n`);
}
for (const file of before.keys()) {
  if (shapes.has(file)) continue;
  if (!isUnreleased) throw new Error(`${file} is promised, and the operation is gone`);
  rmSync(join(folder, file));
}
