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
  /** The gap has been made good: look from here on. */
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
  let last = read();
  let sleptBefore = slept();
  return {
    look() {
      const now = read();
      const ran = now.monotonic - last.monotonic;
      const gap = now.wall - last.wall - ran;
      if (Math.abs(gap) > GAP_MS) return causeOf(gap, sleptBefore, slept());
      if (ran > STALL_MS) return "owner_stalled";
      last = now;
      return null;
    },
    acknowledge() {
      last = read();
      sleptBefore = slept();
    },
  };
}

function causeOf(gap: number, before: number | null, now: number | null): AbsenceCause {
  if (now === null || before === null) return gap > 0 ? "host_suspended" : "clock_jump";
  return now - before > GAP_MS ? "host_suspended" : "clock_jump";
}
