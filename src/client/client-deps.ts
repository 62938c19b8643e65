/** What a client works with; built by mains, and by tests and simulations. */
import type { Clock, Ids } from "../kernel/clock.ts";
import type { Timers } from "../kernel/timers.ts";

export interface ClientDeps {
  /**
   * The path of the owner's socket; null where none is recorded. Asked before each attempt, since
   * the next owner may listen elsewhere.
   */
  readonly locate: () => string | null;
  /** The caller's secret; null for what needs none. */
  readonly capability: string | null;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timers: Timers;
  /** How long a request outlasts a restart of the owner; default 10 s. */
  readonly patienceMs?: number;
  /** How long an owner may take over one answer; default 30 s. */
  readonly answerWithinMs?: number;
  /** Waits, as after a lost connection, for an owner that was not reached yet; default false. */
  readonly waitsForOwner?: boolean;
}
