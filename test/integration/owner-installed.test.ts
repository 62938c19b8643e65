/** An owner that is installed where paths are not plain: with spaces and letters that a URL escapes, behind a link. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { makeFastFolder } from "../fixtures/fast-folder.ts";
import { createOwnerWorld } from "../fixtures/owner-world.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const GENERATION = "0f".repeat(32);

let installed: string;
let tree: string;

beforeAll(() => {
  installed = makeFastFolder();
  tree = join(installed, "störe of mine", "generations", GENERATION);
  mkdirSync(tree, { recursive: true });
  for (const name of ["src", "package.json"])
    cpSync(join(CHECKOUT, name), join(tree, name), { recursive: true });
  symlinkSync(join(CHECKOUT, "node_modules"), join(tree, "node_modules"));
  return () => rmSync(installed, { recursive: true });
});

it("is started from its own file", () => {
  const plan = `
    const { planOwner } = await import(process.argv[1]);
    const folder = ${JSON.stringify(installed)};
    const folders = { home: folder, store: folder + "/none", cache: folder, state: folder };
    const name = { scope: "0", root: folder, profile: "default" };
    const ports = { clock: { now: () => 0 }, ids: { hex: () => "0" }, env: {}, uid: 0, pid: 1, running: process };
    const { argv } = await planOwner({ cwd: folder, profile: "default", folders, name }, ports);
    console.log(argv[1]);`;
  const module = join(tree, "src/operations/scope/plan-owner.ts");
  const argv = ["--input-type=module", "-e", plan, "--", module];
  const printed = execFileSync(process.execPath, argv, { encoding: "utf8" });
  expect(printed.trim()).toBe(realpathSync(join(tree, "src/owner/main.ts")));
});

it("knows which generation it is of, also where a link leads to the store", () => {
  const { name, request } = createOwnerWorld();
  const link = `${installed}-link`;
  symlinkSync(installed, link);
  onTestFinished(() => rmSync(link));
  const places = ["--root", name.root, "--profile", name.profile, "--state", request.folders.state];
  const main = join(tree, "src/owner/main.ts");
  const { stderr } = spawnSync(process.execPath, [main, ...places, "--store", join(link, "störe of mine")], {
    encoding: "utf8",
  });
  // The store's index has no row of it, so its owner's pin is refused: it asked for the pin by the right name.
  expect(stderr).toContain("error[generation_not_found]");
  expect(stderr).toContain(GENERATION.slice(0, 12));
});
