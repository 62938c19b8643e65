/**
 * What reads a tree and writes nothing: the digest pass and the verifications.
 *
 * Our digest pass is `verify`: it reads every byte of a published tree, digests each file by two
 * threads, and compares; a stage would write as well. `show --nar` gives the very answer of
 * `nix hash path`, in one thread, and checks each file against its own digest on the way, so that
 * it digests twice.
 */
import { type Base, withNix } from "./base.ts";
import type { Bench } from "./bench.ts";
import { compare } from "./compare.ts";
import { changeableFiles, changeFiles } from "./make-tree.ts";
import type { Row } from "./row.ts";

export function measureChecks(bench: Bench, base: Base): Row[] {
  const { home, generation, published } = base;
  const verify = (...flags: string[]) => home.run("verify", generation, ...flags, "--json").ms;
  const hashPath = withNix(
    base,
    ({ store }) =>
      () =>
        store.hashPath(published).ms,
  );
  const verifyPath = withNix(
    base,
    ({ store, path }) =>
      () =>
        store.verifyPath(path).ms,
  );
  const reading = { writes: false };
  return [
    ...compare(bench, {
      operation: "digest pass (verify)",
      ours: () => verify(),
      others: [{ against: "nix hash path", run: hashPath, atMost: 1.1 }],
      ...reading,
    }),
    ...compare(bench, {
      operation: "verify, full",
      ours: () => verify(),
      others: [{ against: "nix-store --verify-path", run: verifyPath, atMost: 1.1 }],
      ...reading,
    }),
    ...compare(bench, {
      operation: "verify, quick",
      ours: () => verify("--quick"),
      others: [{ against: "nix-store --verify-path", run: verifyPath, atMost: 0.5 }],
      ...reading,
    }),
    ...measureNarHash(bench, base, hashPath),
  ];
}

/** The hash is recorded when it was asked for, so each run needs a generation of its own. */
function measureNarHash(bench: Bench, { home }: Base, run: ReturnType<typeof withNix>): Row[] {
  const files = changeableFiles(bench.tree);
  const generations = Array.from({ length: bench.rounds }, (_, round) => {
    changeFiles(files, `for NAR hash ${round}`);
    return home.stage(bench.tree).generation;
  });
  return compare(bench, {
    operation: "NAR hash (show --nar)",
    ours: (round) => home.run("show", generations[round] ?? "", "--nar", "--json").ms,
    others: [{ against: "nix hash path", run, atMost: null }],
  });
}
