/**
 * What the owner does by itself: once a second the sweep, once a minute a slice of retention.
 *
 * Each is a command of the same queue as everybody's. The next one is set when the one before has
 * ended, so a slow disk gets no pile of them.
 */
import type { Transaction } from "../../coordinator/commit/transaction.ts";
import type { Coordinator, CoordinatorDeps } from "../../coordinator/create-coordinator.ts";
import { retain } from "../../coordinator/retention/retain.ts";
import { grantFreshTerm } from "../../coordinator/sweeps/fresh-term.ts";
import { sweep } from "../../coordinator/sweeps/sweep.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Log } from "../log/rotating-log.ts";
import type { AbsenceWatch } from "./absence-watch.ts";

const SWEEP_EVERY_MS = 1_000;
const RETAIN_EVERY_TICKS = 60;

export interface SweeperDeps {
  readonly coordinator: Pick<Coordinator, "submit">;
  readonly timers: Timers;
  readonly log: Log;
}

/** Begins now; the returned function ends it. */
export function startSweeps({ coordinator, timers, log }: SweeperDeps): () => void {
  let isOver = false;
  let cancel: () => void = () => {};
  let lastFailure: string | null = null;
  let ticksToRetention = 0;
  const perform = async (what: string, step: (tx: Transaction) => object): Promise<boolean> => {
    const answer = await coordinator
      .submit({ record: null, execute: step })
      .catch((error: unknown) => ({ ok: false, error }) as const);
    if (!answer.ok) {
      lastFailure = noteFailure(log, answer.error, lastFailure);
      return false;
    }
    lastFailure = null;
    const summary = answer.output as Readonly<Record<string, number>>;
    const didAny = Object.values(summary).some((count) => count > 0);
    if (didAny) log.write("info", what, summary);
    return didAny;
  };
  const tick = async () => {
    await perform("swept", sweep);
    if (isOver) return;
    ticksToRetention -= 1;
    // Slice after slice while there is something to do, one a tick: commands go first in between.
    if (ticksToRetention <= 0)
      ticksToRetention = (await perform("retained", retain)) ? 1 : RETAIN_EVERY_TICKS;
    if (!isOver) cancel = timers.after(SWEEP_EVERY_MS, () => void tick());
  };
  void tick();
  return () => {
    isOver = true;
    cancel();
  };
}

/** The same failure each second is one line. */
function noteFailure(log: Log, error: unknown, before: string | null): string {
  const text = error instanceof Error ? `${error.message}` : String(error);
  if (text === before) return text;
  const facts = error instanceof CodedError ? { code: error.code } : { stack: (error as Error).stack };
  log.write("error", "sweep failed", { message: text, ...facts });
  return text;
}

/** Makes good what the watch notices, before whatever comes next: any command may look at a lease. */
export function grantAfterAbsence(watch: AbsenceWatch, log: Log): NonNullable<CoordinatorDeps["before"]> {
  return () => {
    const cause = watch.look();
    if (cause === null) return null;
    return {
      command: { record: null, execute: (tx) => grantFreshTerm(tx, cause) },
      applied() {
        watch.acknowledge();
        log.write("warning", "granted a fresh term", { cause });
      },
    };
  };
}
