/**
 * applyBatch: many commands, one transaction, one flush.
 *
 *   in    commands in the order of their arrival, and one instant
 *   out   an answer for each, which holds once this has returned and not before
 *
 * Each command runs under a savepoint of its own. A refusal takes back what the command wrote and
 * is recorded beside it, so that a retry gets the same answer (LEDGER-7); an error that may be gone
 * next time is not recorded. When the database itself fails, nothing of the batch stands and every
 * command is answered `retryable`: SQLite rolls a whole transaction back on a full disk, so
 * whether one is still open is looked at after each command.
 */
import type Database from "better-sqlite3";
import type { Ids } from "../../kernel/clock.ts";
import { CATALOGUE, CodedError, type ErrorCode, systemCode } from "../../kernel/errors.ts";
import type { Failpoints } from "../../kernel/failpoints.ts";
import { ledgerFailure } from "../ledger/ledger-errors.ts";
import { recordAnswer, recordedAnswer } from "./command-record.ts";
import { appendEvent } from "./events.ts";
import type { Writing } from "./statements.ts";
import type { Transaction } from "./transaction.ts";

export interface Command {
  /** Null for the owner's own sweeps, which are not repeated by anybody. */
  readonly record: CommandIdentity | null;
  readonly execute: (transaction: Transaction) => unknown;
}

export interface CommandIdentity {
  readonly actor: string;
  /** A UUIDv7 of the client's making. */
  readonly id: string;
  readonly operation: string;
  /** SHA-256 of operation and input, hex. */
  readonly fingerprint: string;
}

export type Answer =
  | { readonly ok: true; readonly output: unknown; readonly replayed: boolean }
  | { readonly ok: false; readonly error: unknown; readonly replayed: boolean };

export interface BatchDeps {
  readonly db: Database.Database;
  readonly statements: Writing;
  readonly ids: Ids;
  readonly failpoints: Failpoints;
}

export interface BatchResult {
  readonly answers: readonly Answer[];
  /** The newest event's number once the batch is committed; null if it added none. */
  readonly lastEvent: number | null;
}

export function applyBatch(deps: BatchDeps, commands: readonly Command[], now: number): BatchResult {
  const { db, statements, failpoints } = deps;
  const committed: { lastEvent: number | null } = { lastEvent: null };
  try {
    statements.run("BEGIN IMMEDIATE");
    failpoints.hit("batch:begun");
    const answers = commands.map((command) => applyOne(deps, command, now, committed));
    failpoints.hit("batch:applied");
    statements.run("COMMIT");
    failpoints.hit("batch:committed");
    return { answers, lastEvent: committed.lastEvent };
  } catch (error) {
    if (db.inTransaction) statements.run("ROLLBACK");
    if (systemCode(error)?.startsWith("SQLITE_") !== true) throw error;
    const failure = ledgerFailure(error);
    return { answers: commands.map(() => ({ ok: false, error: failure, replayed: false })), lastEvent: null };
  }
}

function applyOne(
  deps: BatchDeps,
  { record, execute }: Command,
  now: number,
  committed: { lastEvent: number | null },
): Answer {
  const { db, ids } = deps;
  const { statements, fault } = guarded(deps);
  try {
    const known = record === null ? null : recordedAnswer(statements, record, now);
    if (known !== null) return { ...known, replayed: true };
  } catch (error) {
    if (isDatabaseFault(error)) throw error;
    return { ok: false, error, replayed: false };
  }
  const events: number[] = [];
  const transaction: Transaction = {
    ...statements,
    now,
    ids,
    emit: (event) => void events.push(appendEvent(statements, event, now)),
  };
  statements.run("SAVEPOINT command");
  try {
    const output = execute(transaction);
    if (record !== null) recordAnswer(statements, record, { ok: true, output }, now);
    if (fault() !== null) throw fault();
    statements.run("RELEASE command");
    committed.lastEvent = events.at(-1) ?? committed.lastEvent;
    return { ok: true, output, replayed: false };
  } catch (error) {
    // The database lost the transaction, or may be about to: the batch as a whole has failed.
    if (fault() !== null) throw fault();
    if (!db.inTransaction) throw error;
    statements.run("ROLLBACK TO command");
    statements.run("RELEASE command");
    return { ok: false, error: recordRefusal(statements, record, error, now), replayed: false };
  }
}

/**
 * The statements of one command. None of them runs outside the transaction, and a fault of the
 * database is remembered: a command that catches it must not go on as if nothing had happened,
 * least of all in the autocommit mode that SQLite is in once it has rolled back by itself.
 */
function guarded({ db, statements }: BatchDeps): { statements: Writing; fault: () => unknown } {
  let fault: unknown = null;
  const guard = <Result>(act: () => Result): Result => {
    if (fault !== null) throw fault;
    if (!db.inTransaction) throw new Error("the transaction is gone");
    try {
      return act();
    } catch (error) {
      if (!db.inTransaction || isDatabaseFault(error)) fault = error;
      throw error;
    }
  };
  return {
    fault: () => fault,
    statements: {
      get: (sql, parameters) => guard(() => statements.get(sql, parameters)),
      all: (sql, parameters) => guard(() => statements.all(sql, parameters)),
      run: (sql, parameters) => guard(() => statements.run(sql, parameters)),
    },
  };
}

/** What the caller is told: the refusal, or why it could not be put on record. */
function recordRefusal(
  statements: Writing,
  record: CommandIdentity | null,
  error: unknown,
  now: number,
): unknown {
  if (record === null || !isLasting(error)) return error;
  try {
    recordAnswer(statements, record, { ok: false, error }, now);
    return error;
  } catch (fault) {
    // Its own constraint failed, so it alone; the commands beside it have done nothing wrong.
    if (isDatabaseFault(fault)) throw fault;
    return fault;
  }
}

// A constraint, a statement or a value that is wrong is a command's own fault.
const OWN_FAULT = /^SQLITE_(CONSTRAINT|ERROR$|MISMATCH|RANGE|TOOBIG|MISUSE)/;

function isDatabaseFault(error: unknown): boolean {
  const code = systemCode(error) ?? "";
  return code.startsWith("SQLITE_") && !OWN_FAULT.test(code);
}

/** A refusal that a repeat would get again; what may have passed by then is not put on record. */
function isLasting(error: unknown): error is CodedError {
  return error instanceof CodedError && !CATALOGUE[error.code as ErrorCode].retryable;
}
