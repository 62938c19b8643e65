/**
 * The check of import directions, run on a copy of `src/` with faults planted in it: a check that
 * was never seen to fail proves nothing. One run for all of them, since it reads every module.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = new URL("../..", import.meta.url).pathname;

const PLANTED: Readonly<Record<string, string>> = {
  "src/kernel/planted.ts":
    'import type { Layout } from "../store/layout.ts";\nexport type Planted = Layout;\n',
  "src/store/one.ts": 'import { two } from "./two.ts";\nexport const one: unknown = two;\n',
  "src/store/two.ts": 'import { one } from "./one.ts";\nexport const two: unknown = one;\n',
  // Not cycles: one by a type, one by an import that waits.
  "src/store/three.ts": 'import type { Four } from "./four.ts";\nexport type Three = Four[];\n',
  "src/store/four.ts":
    'import type { Three } from "./three.ts";\nexport type Four = Three | 1;\nexport const later = () => import("./three.ts");\n',
  "src/shared/things.ts": "export const things = 1;\n",
  "src/census/planted.ts": 'export { nothing } from "no-such-package";\n',
  "src/worker/planted.ts": 'export const later = () => import("../owner/planted.ts");\n',
  "src/owner/planted.ts": 'export { planted } from "../../scripts/planted.ts";\n',
  "scripts/planted.ts": "export const planted = 1;\n",
  "src/surface/cli/types-of-store.ts": 'export type { Store } from "../../store/store.ts";\n',
  "src/surface/cli/types-of-layout.ts": 'export type { Layout } from "../../store/layout.ts";\n',
  "src/surface/cli/code-of-store.ts": 'export * from "../../store/store.ts";\n',
  // Appended to a file that is loaded before the command is known; the type costs nothing.
  "src/operations/home.ts": '\nexport { z } from "zod";\nexport type { Options } from "execa";\n',
  "src/store/node_modules/planted.ts": "export const planted = 1;\n",
};

let copy: string;
let code: number | null;
let faults: readonly string[];

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "swarm-gen-imports-"));
  for (const name of ["package.json", "tsconfig.json", "src"]) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  for (const [file, text] of Object.entries(PLANTED)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    appendFileSync(join(copy, file), text);
  }
  const check = join(ROOT, "scripts/check-imports.ts");
  const checked = spawnSync(process.execPath, [check, copy], { encoding: "utf8" });
  code = checked.status;
  faults = checked.stderr.split("\n").filter((line) => line !== "");
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const isOfStart = (fault: string) => fault.includes("at the start");

test("the check fails", () => {
  expect(code).toBe(1);
});

test("each planted fault is found, and nothing else is", () => {
  expect(faults.filter((fault) => !isOfStart(fault)).toSorted()).toEqual([
    "cycle: src/store/one.ts → src/store/two.ts → src/store/one.ts",
    "src/census/planted.ts imports no-such-package, which is not there",
    "src/kernel/planted.ts imports src/store/layout.ts: src/kernel/ may not import src/store/",
    "src/owner/planted.ts imports scripts/planted.ts, which is outside of src/",
    "src/shared/things.ts: no rule says what src/shared/ may import",
    "src/store/node_modules/planted.ts was not read: is it TypeScript that the checker knows?",
    "src/surface/cli/code-of-store.ts imports src/store/store.ts: src/surface/ may not import src/store/",
    "src/surface/cli/types-of-layout.ts imports src/store/layout.ts: src/surface/ may not import src/store/",
    "src/worker/planted.ts imports src/owner/planted.ts: src/worker/ may not import src/owner/",
  ]);
});

test("a package that is loaded before the command is known is found, with the way to it", () => {
  const ofStart = faults.filter(isOfStart);
  expect(ofStart).toHaveLength(2);
  expect(ofStart[0]).toMatch(
    /^src\/surface\/cli\/main\.ts → src\/operations\/home\.ts → \S+zod\S+ loads zod at the start: --help /,
  );
});
