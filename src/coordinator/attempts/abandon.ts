/**
 * abandonAttempt: a holder is given up, and its task is free. The one way in which a task gets a new
 * holder without the old one's word.
 *
 * Who calls it has the right to: the lease of a claim without a launch has passed, or the launch is
 * proven to have ended, or an operator settled it.
 */
import { resolveAlarms } from "../alarms/raise-alarm.ts";
import type { Transaction } from "../commit/transaction.ts";
import { freeTask } from "../tasks/free-task.ts";
import { attemptName } from "./read-attempts.ts";

const LAPSED_OF_TASK = `
  UPDATE attempt SET state = 'abandoned', ended_at = @now
   WHERE task = @task AND state = 'running' AND launch IS NULL AND lease_until <= @now
  RETURNING task, fence`;

const OF_LAUNCH = `
  UPDATE attempt SET state = 'abandoned', ended_at = @now
   WHERE launch = @launch AND state IN ('running', 'uncertain')
  RETURNING task, fence`;

export interface Abandoned {
  readonly task: string;
  readonly fence: number;
}

/** A script's claim whose lease has passed makes room for the next; whether there was one. */
export function abandonLapsed(tx: Transaction, task: string): boolean {
  const lapsed = tx.get<Abandoned>(LAPSED_OF_TASK, { task, now: tx.now });
  if (lapsed === undefined) return false;
  afterAbandon(tx, lapsed, "its lease passed");
  return true;
}

/** What a launch that is over still held. */
export function abandonOfLaunch(tx: Transaction, launch: string, why: string): void {
  const lost = tx.get<Abandoned>(OF_LAUNCH, { launch, now: tx.now });
  if (lost !== undefined) afterAbandon(tx, lost, why);
}

/** What follows from an attempt that just became abandoned. */
export function afterAbandon(tx: Transaction, { task, fence }: Abandoned, why: string): void {
  tx.emit({ type: "attempt.abandoned", entity: task, payload: { fence, why } });
  resolveAlarms(tx, {
    subjectKind: "attempt",
    subject: attemptName({ task, fence }),
    kinds: "all",
    resolution: "end",
  });
  freeTask(tx, task);
}
