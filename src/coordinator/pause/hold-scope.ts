/**
 * pauseScope and resumeScope: an operator's own hold of the scope. Nothing new begins while it
 * stands; what runs goes on, and so does mail.
 *
 * Upgrades have a hold of their own, in the store's index.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";

export interface PauseInput {
  readonly reason: string;
  /** The process that holds it, where one does: by its pid, start time and boot. */
  readonly process?: HoldingProcess | undefined;
}

export interface HoldingProcess {
  readonly pid: number;
  readonly startTime: string;
  readonly boot: string;
}

export interface Pause {
  readonly heldBy: string;
  readonly process: HoldingProcess | null;
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}

interface PauseRow {
  readonly held_by: string;
  readonly pid: number | null;
  readonly start_time: string | null;
  readonly boot: string | null;
  readonly reason: string;
  readonly since: number;
}

// The same holder may say another reason; since when it holds stays.
const HOLD = `
  INSERT INTO pause (only_row, held_by, pid, start_time, boot, reason, since)
  VALUES (1, @heldBy, @pid, @startTime, @boot, @reason, @now)
  ON CONFLICT (only_row) DO UPDATE
     SET pid = @pid, start_time = @startTime, boot = @boot, reason = @reason
   WHERE held_by = @heldBy`;

/** `scope_paused` naming the holder, where another holds it. */
export function pauseScope(
  tx: Transaction,
  { actor: heldBy }: Caller,
  { reason, process }: PauseInput,
): Pause {
  const { pid, startTime, boot } = process ?? { pid: null, startTime: null, boot: null };
  if (tx.run(HOLD, { heldBy, pid, startTime, boot, reason, now: tx.now }) === 0) {
    const held = readPause(tx);
    throw new CodedError("scope_paused", `${held?.heldBy} holds the scope already: ${held?.reason}.`, {
      hint: "swarm-gen resume ends a hold, whoever has it.",
      fields: { ...held, changed: false },
    });
  }
  tx.emit({ type: "scope.paused", entity: "scope", payload: { heldBy, reason } });
  return readPause(tx) as Pause;
}

/** The hold that it ended; null if there was none. */
export function resumeScope(tx: Transaction, caller: Caller): { readonly ended: Pause | null } {
  const ended = readPause(tx);
  if (ended === null) return { ended };
  tx.run("DELETE FROM pause WHERE only_row = 1");
  tx.emit({ type: "scope.resumed", entity: "scope", payload: { by: caller.actor, heldBy: ended.heldBy } });
  return { ended };
}

/** Null while nobody holds the scope. */
export function readPause(reading: Reading): Pause | null {
  const row = reading.get<PauseRow>("SELECT * FROM pause");
  if (row === undefined) return null;
  const { held_by: heldBy, pid, start_time: startTime, boot, reason, since } = row;
  const isProcess = pid !== null && startTime !== null && boot !== null;
  return {
    heldBy,
    process: isProcess ? { pid, startTime, boot } : null,
    reason,
    since: new Date(since).toISOString(),
  };
}
