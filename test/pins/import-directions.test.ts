/**
 * The check of import directions, run on copies of `src/` with one fault planted in each: a check
 * that was never seen to fail proves nothing.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = new URL("../..", import.meta.url).pathname;
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "swarm-gen-imports-"));
  for (const name of ["package.json", "tsconfig.json"]) cpSync(join(ROOT, name), join(copy, name));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function checkWith(planted: Readonly<Record<string, string>>): { code: number | null; faults: string[] } {
  rmSync(join(copy, "src"), { recursive: true, force: true });
  cpSync(join(ROOT, "src"), join(copy, "src"), { recursive: true });
  // Text is appended, so that a file of the copy goes on to do what it did.
  for (const [file, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    appendFileSync(join(copy, file), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/check-imports.ts"), copy], {
    encoding: "utf8",
  });
  return { code: status, faults: stderr.split("\n").filter((line) => line !== "") };
}

test("this checkout's imports have the design's directions", () => {
  expect(checkWith({})).toEqual({ code: 0, faults: [] });
});

test("an import against the direction, a cycle, an unknown folder and a missing module are each found", () => {
  expect(
    checkWith({
      "src/kernel/planted.ts":
        'import type { Layout } from "../store/layout.ts";\nexport type Planted = Layout;\n',
      "src/store/one.ts": 'import { two } from "./two.ts";\nexport const one: unknown = two;\n',
      "src/store/two.ts": 'import { one } from "./one.ts";\nexport const two: unknown = one;\n',
      "src/shared/things.ts": "export const things = 1;\n",
      "src/census/planted.ts": 'export { nothing } from "no-such-package";\n',
      "src/worker/planted.ts": 'export const later = () => import("../owner/planted.ts");\n',
      "src/owner/planted.ts": 'export { findImportFaults } from "../../scripts/find.ts";\n',
      "scripts/find.ts": "export const findImportFaults = 1;\n",
    }).faults.toSorted(),
  ).toEqual([
    "cycle: src/store/one.ts → src/store/two.ts → src/store/one.ts",
    "src/census/planted.ts imports no-such-package, which is not there",
    "src/kernel/planted.ts imports src/store/layout.ts: src/kernel/ may not import src/store/",
    "src/owner/planted.ts imports scripts/find.ts, which is outside of src/",
    "src/shared/things.ts: no rule says what src/shared/ may import",
    "src/worker/planted.ts imports src/owner/planted.ts: src/worker/ may not import src/owner/",
  ]);
});

test("a package that is loaded before the command is known is found, with the way to it", () => {
  const { code, faults } = checkWith({
    "src/operations/home.ts": '\nexport { z } from "zod";\nexport type { Options } from "execa";\n',
  });
  expect(code).toBe(1);
  expect(faults).toHaveLength(2);
  expect(faults[0]).toMatch(
    /^src\/surface\/cli\/main\.ts → src\/operations\/home\.ts → \S+zod\S+ loads zod at the start: --help /,
  );
});

test("a surface may import the types of the store's interface, but not its code", () => {
  expect(
    checkWith({
      "src/surface/cli/one.ts": 'export type { Store } from "../../store/store.ts";\n',
      "src/surface/cli/two.ts": 'export type { Layout } from "../../store/layout.ts";\n',
      "src/surface/cli/three.ts": 'export * from "../../store/store.ts";\n',
    }).faults.toSorted(),
  ).toEqual([
    "src/surface/cli/three.ts imports src/store/store.ts: src/surface/ may not import src/store/",
    "src/surface/cli/two.ts imports src/store/layout.ts: src/surface/ may not import src/store/",
  ]);
});

test("a file that is not read is a fault, not a pass", () => {
  expect(checkWith({ "src/store/node_modules/planted.ts": "export const planted = 1;\n" }).faults).toEqual([
    "src/store/node_modules/planted.ts was not read: is it TypeScript that the checker knows?",
  ]);
});
