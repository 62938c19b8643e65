/**
 * Compiles `src/` to `dist/` and drops what no source stands behind any more.
 *
 * A recipe takes `dist` as it is, so a module that was left there by an earlier build would become
 * part of a generation and of its id. Nothing that is still wanted is removed, not even for a
 * moment: programs that run from this checkout meanwhile find all of their modules.
 *
 *   usage   node scripts/build.ts [FOLDER]     default: this checkout
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const checkout = new URL("..", import.meta.url).pathname;
const root = resolve(process.argv[2] ?? checkout);
const compiler = join(checkout, "node_modules/typescript/bin/tsc");

const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
for (const file of globSync("**/*.{js,d.ts}", { cwd: join(root, "dist") })) {
  const source = file.replace(/\.(js|d\.ts)$/, ".ts");
  if (!existsSync(join(root, "src", source))) rmSync(join(root, "dist", file));
}
process.exitCode = status ?? 1;
