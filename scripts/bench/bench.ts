/**
 * What all measurements share: a folder, a tree, and the way in which sides take turns.
 *
 * Every run gets a destination that was never there before, and nothing is deleted before all is
 * measured: a file system is slow to create where it has just deleted. Before each run what earlier
 * ones wrote is flushed, untimed, so that nobody pays for another's unwritten pages.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export interface Bench {
  /** Everything that is made is below it. */
  readonly folder: string;
  /** The tree that is staged, added and copied. */
  readonly tree: string;
  readonly rounds: number;
  readonly reduced: boolean;
  /** A path that does not exist yet. */
  fresh(name: string): string;
  /** Whether the time that the whole run may take is over. */
  isOver(): boolean;
  say(text: string): void;
}

export interface BenchSettings extends Pick<Bench, "folder" | "tree" | "rounds" | "reduced"> {
  readonly minutes: number;
  readonly say: (text: string) => void;
}

export function createBench({ minutes, ...settings }: BenchSettings): Bench {
  const endsAt = performance.now() + minutes * 60_000;
  let made = 0;
  return {
    ...settings,
    fresh(name) {
      made += 1;
      return join(settings.folder, `${made}-${name}`);
    },
    isOver: () => performance.now() >= endsAt,
  };
}

/** One side of a comparison: makes its run number `round` and gives its milliseconds. */
export type Side = (round: number) => number;

export interface TurnOptions {
  readonly rounds?: number;
  /** Whether any side leaves something to flush. */
  readonly writes?: boolean;
}

/**
 * Runs all sides in turn, round by round, every second round the other way about, so that a drift
 * of the machine touches all alike. Gives each side's milliseconds by round. At least one round is
 * run; more only while there is time.
 */
export function takeTurns<Name extends string>(
  bench: Bench,
  sides: Readonly<Record<Name, Side>>,
  { rounds = bench.rounds, writes = true }: TurnOptions = {},
): Record<Name, number[]> {
  const names = Object.keys(sides) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds && (round === 0 || !bench.isOver()); round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      if (writes) spawnSync("sync");
      taken[name].push(sides[name](round));
    }
  }
  return taken;
}
