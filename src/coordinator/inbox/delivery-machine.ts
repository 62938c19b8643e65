/** The life of a delivery, as data. */

/** A redelivery's wait doubles with each attempt that was lost, up to a bound. */
export function redeliveryWaitMs(
  attempt: number,
  { backoffMs, backoffMostMs }: { readonly backoffMs: number; readonly backoffMostMs: number },
): number {
  return Math.min(backoffMostMs, backoffMs * 2 ** Math.min(attempt - 1, 30));
}
