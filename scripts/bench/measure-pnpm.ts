/**
 * pnpm from a warm store, with hard links, beside a stage of that very tree in which a few files changed.
 *
 * pnpm is fetched for the occasion, and so are the packages into its store; without a registry or
 * a cache that has them, nothing is measured and the row says so. Our source is a copy of pnpm's
 * tree: its next install links the same inodes and so changes their times.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Side } from "./bench.ts";
import { compare } from "./compare.ts";
import { changeableFiles, changeFiles } from "./make-tree.ts";
import type { Row } from "./row.ts";
import { runTimed } from "./run-timed.ts";
import { createHome } from "./swarm-gen.ts";

const OPERATION = "3 files changed, own dependencies";
const AGAINST = "pnpm install, warm";
const PREPARING_MS = 3 * 60_000;
const RATIO = 1.2;

export function measurePnpm(bench: Bench, checkout: string): Row[] {
  const pnpm = preparePnpm(bench, checkout);
  if ("missing" in pnpm) {
    return [{ kind: "not-measured", operation: OPERATION, against: AGAINST, why: pnpm.missing }];
  }
  const source = bench.fresh("pnpm-copy");
  runTimed("cp", ["-a", pnpm.installed, source]);
  const home = createHome(bench.fresh("home"));
  home.stage(source);
  const files = changeableFiles(source);
  return compare(bench, {
    operation: OPERATION,
    ours(round) {
      changeFiles(files, `changed in round ${round}`);
      return home.stage(source).ms;
    },
    others: [{ against: AGAINST, run: pnpm.install, atMost: RATIO }],
    note: `pnpm ${pnpm.version}`,
  });
}

interface Pnpm {
  readonly version: string;
  /** A `node_modules` that it made. */
  readonly installed: string;
  readonly install: Side;
}

function preparePnpm(bench: Bench, checkout: string): Pnpm | { readonly missing: string } {
  const folder = bench.fresh("pnpm");
  mkdirSync(folder);
  try {
    const npm = ["install", "pnpm", "--prefix", folder, "--no-save", "--no-audit", "--no-fund"];
    runTimed("npm", [...npm, "--prefer-offline", "--fetch-retries=0"], {
      cwd: folder,
      timeoutMs: PREPARING_MS,
    });
    const first = createProject(join(folder, "first"), checkout);
    installWith(folder, first, "--no-frozen-lockfile");
    const version = runTimed(programOf(folder), ["--version"], { cwd: folder }).stdout.trim();
    return {
      version,
      installed: join(first, "node_modules"),
      install() {
        const project = createProject(bench.fresh("pnpm-project"), checkout);
        copyFileSync(join(first, "pnpm-lock.yaml"), join(project, "pnpm-lock.yaml"));
        const ms = installWith(folder, project, "--offline", "--frozen-lockfile");
        if (!existsSync(join(project, "node_modules/zod"))) throw new Error("pnpm installed nothing");
        return ms;
      },
    };
  } catch (error) {
    return { missing: `pnpm could not be prepared: ${(error as Error).message.slice(0, 200)}` };
  }
}

const programOf = (folder: string): string => join(folder, "node_modules/.bin/pnpm");

function installWith(folder: string, project: string, ...flags: string[]): number {
  const settings = [
    "--ignore-scripts",
    "--ignore-workspace",
    `--store-dir=${join(folder, "store")}`,
    `--config.cache-dir=${join(folder, "cache")}`,
    "--config.node-linker=hoisted",
    "--config.package-import-method=hardlink",
    "--config.update-notifier=false",
  ];
  const env = { ...process.env, CI: "true", XDG_STATE_HOME: join(folder, "state") };
  const options = { cwd: project, env, timeoutMs: PREPARING_MS };
  return runTimed(programOf(folder), ["install", ...settings, ...flags], options).ms;
}

/** What this project depends on, and nothing else of its manifest. */
function createProject(project: string, checkout: string): string {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(checkout, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  mkdirSync(project);
  const manifest = { name: "bench", version: "1.0.0", private: true, dependencies, devDependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  return project;
}
