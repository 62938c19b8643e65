/** The build leaves in `dist/` what the sources say, and nothing of an earlier one. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const ROOT = new URL("../..", import.meta.url).pathname;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "swarm-gen-build-"));
  for (const name of ["package.json", "tsconfig.json", "tsconfig.build.json"]) {
    cpSync(join(ROOT, name), join(folder, name));
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "src/part"), { recursive: true });
  writeFileSync(join(folder, "src/main.ts"), 'export { one } from "./part/one.ts";\n');
  writeFileSync(join(folder, "src/part/one.ts"), "export const one: number = 1;\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const build = () =>
  spawnSync(process.execPath, [join(ROOT, "scripts/build.ts"), folder], { encoding: "utf8" });
const at = (path: string) => join(folder, "dist", path);

test("a module whose source is gone goes too, and only that", () => {
  expect(build().status).toBe(0);
  expect(readFileSync(at("main.js"), "utf8")).toContain('"./part/one.js"');
  writeFileSync(join(folder, "src/two.ts"), "export const two: number = 2;\n");
  expect(build().status).toBe(0);
  expect(existsSync(at("two.js"))).toBe(true);
  rmSync(join(folder, "src/two.ts"));
  expect(build().status).toBe(0);
  expect([at("two.js"), at("two.d.ts")].filter((path) => existsSync(path))).toEqual([]);
  expect([at("main.js"), at("part/one.js"), at("part/one.d.ts")].filter((path) => !existsSync(path))).toEqual(
    [],
  );
});

test("a source that does not compile fails the build, and says where", () => {
  writeFileSync(join(folder, "src/wrong.ts"), 'export const wrong: number = "text";\n');
  const { status, stdout } = build();
  expect(status).not.toBe(0);
  expect(stdout).toContain("src/wrong.ts(1,14)");
});
