/**
 * A Nix store of its own in a folder, beside which no other Nix is touched: no daemon, no
 * configuration, no profile of the machine's. Works as root and as anybody.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runTimed, type Timed } from "./run-timed.ts";

export interface NixStore {
  /** `nix-store --add`; prints the path that it gave. */
  add(path: string): Timed;
  /** `nix-store --verify-path` of a path in the store. */
  verifyPath(path: string): Timed;
  /** `nix hash path` of any path. */
  hashPath(path: string): Timed;
}

/** Null where Nix is not installed. */
export function nixVersion(): string | null {
  const { status, stdout } = spawnSync("nix-store", ["--version"], { encoding: "utf8" });
  return status === 0 ? (stdout.trim().split(" ").at(-1) ?? null) : null;
}

export function createNixStore(folder: string): NixStore {
  const folders = {
    NIX_STORE_DIR: join(folder, "store"),
    NIX_STATE_DIR: join(folder, "state"),
    NIX_LOG_DIR: join(folder, "log"),
    NIX_LOCALSTATE_DIR: join(folder, "local-state"),
    NIX_CONF_DIR: join(folder, "configuration"),
    HOME: join(folder, "home"),
  };
  for (const path of Object.values(folders)) mkdirSync(path, { recursive: true });
  // Root's default names a group that need not exist, and nothing is built here.
  writeFileSync(join(folders.NIX_CONF_DIR, "nix.conf"), "build-users-group =\n");
  const env = { PATH: process.env.PATH, ...folders, NIX_REMOTE: "local" };
  const run = (program: string, ...args: string[]) => runTimed(program, args, { env });
  run("nix-store", "--init");
  return {
    add: (path) => run("nix-store", "--add", path),
    verifyPath: (path) => run("nix-store", "--verify-path", path),
    hashPath: (path) => run("nix", "--extra-experimental-features", "nix-command", "hash", "path", path),
  };
}
