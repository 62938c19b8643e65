/** The catalogue and the code agree: every code has a place that throws it, and none is made up. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { CATALOGUE } from "../../src/kernel/errors.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** Codes for which no path of the code exists yet. */
const RESERVED: readonly string[] = [];

const CATALOGUE_FILE = "src/kernel/errors.ts";
const files = globSync(["src/**/*.ts", "bin/*.cjs"], { cwd: ROOT }).filter((file) => file !== CATALOGUE_FILE);

function stringsIn(file: string): Set<string> {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), "utf8"),
    ts.ScriptTarget.ES2023,
    true,
  );
  const strings = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) strings.add(node.text);
    node.forEachChild(visit);
  };
  visit(source);
  return strings;
}

test("every code of the catalogue is used by the code, or listed as reserved", () => {
  const used = new Set(files.flatMap((file) => [...stringsIn(file)]));
  const unused = Object.keys(CATALOGUE).filter((code) => !used.has(code));
  expect(unused).toEqual(RESERVED);
});

test("exit codes are the documented ones, and no error exits 0 or 6, which mean done", () => {
  const exits = Object.values(CATALOGUE).map(({ exit }) => exit);
  expect([...new Set(exits)].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10, 11]);
});

test("every code says when it comes and what to do, and has an HTTP status of an error", () => {
  for (const [code, { when, todo, http }] of Object.entries(CATALOGUE)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(when.length, code).toBeGreaterThan(10);
    expect(todo.length, code).toBeGreaterThan(10);
    expect(http, code).toBeGreaterThanOrEqual(400);
    expect(http, code).toBeLessThan(600);
  }
});
