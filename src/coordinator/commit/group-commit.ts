/**
 * Group commit: the commands that arrive within one turn of the event loop share a transaction,
 * in the order in which they came, at most `MOST_IN_BATCH` of them. Nobody hears of a change
 * before it is on disk.
 */
import type { Clock } from "../../kernel/clock.ts";
import { type Answer, applyBatch, type BatchDeps, type BatchResult, type Command } from "./apply-batch.ts";

const MOST_IN_BATCH = 256;

export interface GroupCommitDeps extends BatchDeps {
  readonly clock: Clock;
  /** Calls back in a later turn of the event loop, after what has arrived was read. */
  readonly defer: (next: () => void) => void;
  /** Told the newest event's number after each batch that added some. */
  readonly onEvents: (lastEvent: number) => void;
  /**
   * Asked before each batch, with its instant: what has to come first in it. A clock that jumped is
   * made good here, since any command may look at a lease.
   */
  readonly before?: ((now: number) => FirstCommand | null) | undefined;
}

export interface FirstCommand {
  readonly command: Command;
  /** Told once the batch is committed; not at all if it failed as a whole. */
  readonly applied: () => void;
}

export interface GroupCommit {
  /** Resolves once the command's transaction is committed, or has failed as a whole. */
  submit(command: Command): Promise<Answer>;
  /** Applies what waits, now. */
  flush(): void;
}

interface Waiting {
  readonly command: Command;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommit(deps: GroupCommitDeps): GroupCommit {
  let waiting: Waiting[] = [];
  let isDeferred = false;
  const defer = () => {
    if (isDeferred) return;
    isDeferred = true;
    deps.defer(() => {
      isDeferred = false;
      flushSome();
    });
  };
  const flushSome = () => {
    const batch = waiting.slice(0, MOST_IN_BATCH);
    waiting = waiting.slice(MOST_IN_BATCH);
    if (waiting.length > 0) defer();
    if (batch.length === 0) return;
    let result: BatchResult;
    try {
      result = applyWaiting(deps, batch);
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [index, answer] of result.answers.entries()) batch[index]?.resolve(answer);
    // Outside the try: a listener's fault is none of the commands, which are committed.
    if (result.lastEvent !== null) deps.onEvents(result.lastEvent);
  };
  return {
    submit: (command) =>
      new Promise((resolve, reject) => {
        waiting.push({ command, resolve, reject });
        defer();
      }),
    flush() {
      while (waiting.length > 0) flushSome();
    },
  };
}

/** The answers to what waits, without that of what came first. */
function applyWaiting(deps: GroupCommitDeps, batch: readonly Waiting[]): BatchResult {
  const now = deps.clock.now();
  const commands = batch.map(({ command }) => command);
  // The clock is read before it is looked at, and again after a jump: no batch has an instant beyond one
  // that went unnoticed, and a term counts from this side of it.
  const first = deps.before?.(now) ?? null;
  if (first === null) return applyBatch(deps, commands, now);
  const { answers, lastEvent } = applyBatch(deps, [first.command, ...commands], deps.clock.now());
  if (answers[0]?.ok === true) first.applied();
  return { answers: answers.slice(1), lastEvent };
}
