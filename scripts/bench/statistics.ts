/**
 * What is told of a series of runs: medians, quantiles, and ratios of runs that belong together.
 *
 * Two sides of a comparison run in turn, so that run i of one and run i of the other met the same
 * machine. Their ratio is taken pair by pair and then its median: what disturbs both falls out.
 */

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which `part` (0 to 1) of all values lie, between neighbours by proportion. */
export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) throw new Error("a quantile of nothing was asked for");
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const below = sorted[Math.floor(at)] as number;
  const above = sorted[Math.ceil(at)] as number;
  return below + (above - below) * (at - Math.floor(at));
}

/** The median of ours[i] / theirs[i]. */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): number {
  if (ours.length !== theirs.length) throw new Error("both sides of a pair have to have run");
  return median(ours.map((value, index) => value / (theirs[index] as number)));
}
