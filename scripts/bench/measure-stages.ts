/** Stages: of a tree that nobody has, of one that is known, and of one in which a few files changed. */
import { type Base, linkedCopy, withNix } from "./base.ts";
import type { Bench } from "./bench.ts";
import { compare } from "./compare.ts";
import { changeableFiles, changeFiles } from "./make-tree.ts";
import { createNixStore } from "./nix-store.ts";
import type { Row } from "./row.ts";
import { runTimed } from "./run-timed.ts";
import { createHome } from "./swarm-gen.ts";

/** Into a new store each time: written, flushed, and with its row. */
export function measureFirstStage(bench: Bench, base: Base): Row[] {
  return compare(bench, {
    operation: "first stage",
    ours: () => createHome(bench.fresh("home")).stage(bench.tree).ms,
    others: [
      {
        against: "nix-store --add",
        run: withNix(base, () => () => createNixStore(bench.fresh("nix")).add(bench.tree).ms),
        atMost: 1,
      },
      {
        against: "cp -a",
        run: () => runTimed("cp", ["-a", bench.tree, bench.fresh("copy")]).ms,
        atMost: null,
      },
    ],
  });
}

export function measureUnchangedStage(bench: Bench, base: Base): Row[] {
  return compare(bench, {
    operation: "unchanged stage",
    ours() {
      const { ms, isNew } = base.home.stage(bench.tree);
      if (isNew) throw new Error("an unchanged tree was given another id");
      return ms;
    },
    others: [
      {
        against: "nix-store --add",
        run: withNix(
          base,
          ({ store }) =>
            () =>
              store.add(bench.tree).ms,
        ),
        atMost: 0.1,
      },
    ],
  });
}

/** The tree stays changed: it has another id from here on. */
export function measureChangedStage(bench: Bench, base: Base): Row[] {
  const files = changeableFiles(bench.tree);
  // Once a round, by whoever's turn is first; everybody then takes the same tree.
  let changedIn = -1;
  const inRound = (round: number) => {
    if (changedIn !== round) changeFiles(files, `changed in round ${round}`);
    changedIn = round;
  };
  return compare(bench, {
    operation: `${files.length} files changed`,
    ours(round) {
      inRound(round);
      const { ms, isNew } = base.home.stage(bench.tree);
      if (!isNew) throw new Error("a changed tree was given a known id");
      return ms;
    },
    others: [
      {
        against: "nix-store --add",
        run: withNix(base, ({ store }) => (round) => {
          inRound(round);
          return store.add(bench.tree).ms;
        }),
        atMost: 0.3,
      },
      { against: "cp -al", run: linkedCopy(bench, base), atMost: 2.5 },
    ],
  });
}
