/** The tree as everybody has it already: staged, added to a Nix store, and copied. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Side } from "./bench.ts";
import { createNixStore, type NixStore, nixVersion } from "./nix-store.ts";
import { runTimed } from "./run-timed.ts";
import { createHome, type Home } from "./swarm-gen.ts";

export interface Base {
  readonly home: Home;
  readonly generation: string;
  /** The published tree. */
  readonly published: string;
  /** What the store took on disk when it held this one generation, in KiB. */
  readonly firstKib: number;
  /** Null where Nix is not installed. */
  readonly nix: { readonly store: NixStore; readonly path: string } | null;
  /**
   * A copy for `cp -al`. Linking changes the time of a file's inode, so the staged tree itself must
   * not be its source: everything would have to be read again.
   */
  readonly twin: string;
}

export function prepareBase(bench: Bench): Base {
  const home = createHome(bench.fresh("home"));
  const { generation } = home.stage(bench.tree);
  const store = nixVersion() === null ? null : createNixStore(bench.fresh("nix"));
  const twin = bench.fresh("twin");
  runTimed("cp", ["-a", bench.tree, twin]);
  return {
    home,
    generation,
    published: join(home.folder, "store/generations", generation),
    firstKib: diskKib(home),
    nix: store === null ? null : { store, path: store.add(bench.tree).stdout.trim() },
    twin,
  };
}

/** What a home's store takes on disk: what is linked several times counts once, folders count. */
export function diskKib(home: Home): number {
  return Number.parseInt(runTimed("du", ["-sk", join(home.folder, "store")]).stdout, 10);
}

/** `run` where Nix is there, else why it is not. */
export function withNix(base: Base, run: (nix: NonNullable<Base["nix"]>) => Side) {
  return base.nix === null ? { missing: "nix is not installed" } : run(base.nix);
}

/** A hard-linked copy, into a folder that is not there yet. */
export function linkedCopy(bench: Bench, base: Base) {
  // POSIX and macOS have no `-l`.
  if (process.platform !== "linux") return { missing: "cp -al is GNU's" };
  return () => {
    const parent = bench.fresh("linked");
    mkdirSync(parent);
    return runTimed("cp", ["-al", base.twin, join(parent, "tree")]).ms;
  };
}
