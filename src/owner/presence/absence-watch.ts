/**
 * Notices when time passed that the owner did not serve: the machine slept, the clock was set, or
 * this process was stopped. Nobody could renew a lease meanwhile, so none may expire for it.
 *
 * The wall clock stamps the records; the monotonic clock counts what passed while the machine ran.
 * It stands still during a suspend, on Linux and on macOS. A gap between the two is a suspend or a
 * clock that was set; where the system counts its time with suspends as well, that tells which.
 */

export type AbsenceCause = "host_suspended" | "clock_jump" | "owner_stalled";

export interface AbsenceClocks {
  /** Milliseconds since the epoch. */
  readonly wall: () => number;
  /** Milliseconds that the machine ran, from any beginning. */
  readonly monotonic: () => number;
  /** The same with the time that it slept; null where the system does not tell. */
  readonly withSuspends: () => number | null;
}

export interface AbsenceWatch {
  /** What happened since the last look that found nothing, or was acknowledged; null for nothing. */
  look(): AbsenceCause | null;
  /** The gap that the last look found has been made good; what happened since that look is still to be found. */
  acknowledge(): void;
}

/** Slewing moves a clock by less than a thousandth; a step of less than this does no harm to a lease. */
const GAP_MS = 2_000;
/** The owner looks each second at the latest. */
const STALL_MS = 5_000;

export function createAbsenceWatch({ wall, monotonic, withSuspends }: AbsenceClocks): AbsenceWatch {
  const read = () => ({ wall: wall(), monotonic: monotonic() });
  /** How long the machine has slept; grows by each suspend and by nothing else. */
  const slept = () => {
    const total = withSuspends();
    return total === null ? null : total - monotonic();
  };
  let last = { ...read(), slept: slept() };
  let seen = last;
  return {
    look() {
      const now = read();
      const ran = now.monotonic - last.monotonic;
      const gap = now.wall - last.wall - ran;
      const isGap = Math.abs(gap) > GAP_MS;
      if (!isGap && ran <= STALL_MS) {
        last = { ...now, slept: last.slept };
        return null;
      }
      seen = { ...now, slept: slept() };
      return isGap ? causeOf(gap, last.slept, seen.slept) : "owner_stalled";
    },
    acknowledge() {
      last = seen;
    },
  };
}

function causeOf(gap: number, before: number | null, now: number | null): AbsenceCause {
  if (now === null || before === null) return gap > 0 ? "host_suspended" : "clock_jump";
  return now - before > GAP_MS ? "host_suspended" : "clock_jump";
}
