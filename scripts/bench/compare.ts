/** compare: one operation of ours in turns with those of others; a row for each of them. */
import { type Bench, type Side, type TurnOptions, takeTurns } from "./bench.ts";
import type { Row } from "./row.ts";

export interface Comparison extends TurnOptions {
  readonly operation: string;
  readonly ours: Side;
  readonly others: readonly Other[];
  readonly note?: string;
}

export interface Other {
  readonly against: string;
  /** The side's run, or why there is none on this machine. */
  readonly run: Side | { readonly missing: string };
  /** The largest ratio that meets the target; null where there is no target. */
  readonly atMost: number | null;
}

/** Ours runs even where nobody else can, so that a failure of it shows. */
export function compare(bench: Bench, { operation, ours, others, note, ...options }: Comparison): Row[] {
  const sides: Record<string, Side> = { ours };
  for (const { against, run } of others) if (typeof run === "function") sides[against] = run;
  const wanted = options.rounds ?? bench.rounds;
  const taken = takeTurns(bench, sides, options);
  return others.map(({ against, run, atMost }): Row => {
    if (typeof run !== "function") return { kind: "not-measured", operation, against, why: run.missing };
    const [oursMs = [], theirsMs = []] = [taken.ours, taken[against]];
    const fewer = oursMs.length < wanted ? `only ${oursMs.length} of ${wanted} rounds: out of time` : "";
    const notes = [note ?? "", fewer].filter((text) => text !== "").join("; ");
    const noted = notes === "" ? {} : { note: notes };
    return { kind: "compared", operation, against, oursMs, theirsMs, atMost, ...noted };
  });
}
