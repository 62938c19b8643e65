/**
 * Why a holder's write changed nothing: another attempt is newer, this one has ended, or it is
 * somebody else's. `stale_fence` names who holds the task now.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import { readTask } from "../tasks/read-tasks.ts";
import { type AttemptDecision, type AttemptEvent, decideAttempt } from "./attempt-machine.ts";
import { type Attempt, readAttempt, readHolder } from "./read-attempts.ts";

export interface FencedWrite {
  readonly task: string;
  readonly fence: number;
}

/** What the machine says of a write that no statement took; `not_found`, or `forbidden` for another's attempt. */
export function decideWrite(
  reading: Reading,
  { caller, write, event, now }: RefusedWrite,
): { readonly decision: AttemptDecision; readonly attempt: Attempt } {
  const task = readTask(reading, write.task);
  const attempt = readAttempt(reading, write);
  if (attempt.actor !== caller.actor) {
    throw new CodedError("forbidden", `Attempt ${write.fence} of task ${write.task} is ${attempt.actor}'s.`, {
      hint: "Write with the fence of your own claim.",
      fields: { ...write, holder: attempt.actor, changed: false },
    });
  }
  const facts = {
    state: attempt.state,
    isNewest: write.fence === task.fence,
    hasLaunch: attempt.launch !== null,
    leaseUntil: Date.parse(attempt.leaseUntil),
    taskState: task.state,
    isTaskLaunched: readLiveLaunch(reading, write.task) !== null,
  };
  return { decision: decideAttempt(facts, event, now), attempt };
}

export interface RefusedWrite {
  readonly caller: Caller;
  readonly write: FencedWrite;
  readonly event: AttemptEvent;
  readonly now: number;
}

export function staleFence(reading: Reading, attempt: Attempt): CodedError {
  const { task, fence, state, endedAt } = attempt;
  const holder = readHolder(reading, task);
  if (holder !== null && holder.fence !== fence) {
    const { actor, fence: newest, leaseUntil } = holder;
    return new CodedError(
      "stale_fence",
      `Task ${task} is held by ${actor} with fence ${newest}, not ${fence}.`,
      {
        fields: { task, fence, holder: actor, holderFence: newest, leaseUntil, changed: false },
      },
    );
  }
  const launch = readLiveLaunch(reading, task);
  if (launch !== null) {
    return new CodedError(
      "stale_fence",
      `Task ${task} is held by launch ${launch.id}, which is ${launch.state}; attempt ${fence} is ${state} since ${endedAt}.`,
      {
        fields: { task, fence, state, launch: launch.id, holder: null, holderFence: null, changed: false },
      },
    );
  }
  const { state: taskState } = readTask(reading, task);
  return new CodedError(
    "stale_fence",
    `Attempt ${fence} of task ${task} is ${state} since ${endedAt}; nobody holds the task, which is ${taskState}.`,
    { fields: { task, fence, state, taskState, holder: null, holderFence: null, changed: false } },
  );
}

interface LiveLaunch {
  readonly id: string;
  readonly state: string;
}

const LIVE_LAUNCH = `
  SELECT id, state FROM launch WHERE task = @task AND state NOT IN ('released', 'failed', 'abandoned')`;

/** The launch that has the task; null if none does. */
export function readLiveLaunch(reading: Reading, task: string): LiveLaunch | null {
  return reading.get<LiveLaunch>(LIVE_LAUNCH, { task }) ?? null;
}
