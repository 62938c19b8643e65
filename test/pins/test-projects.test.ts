/** No kind of test is there in name only, and no test stands where no project looks. */
import { globSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../..", import.meta.url).pathname;

test("every project of vitest.config.ts has a file, and every test file is in one", () => {
  const folders = globSync("**/*.test.ts", { cwd: ROOT, exclude: ["node_modules/**", "dist/**"] }).map(
    (file) => file.split("/").slice(0, 2).join("/"),
  );
  expect([...new Set(folders)].toSorted()).toEqual([
    "test/fault",
    "test/integration",
    "test/pins",
    "test/property",
    "test/race",
    "test/sim",
    "test/unit",
  ]);
});
