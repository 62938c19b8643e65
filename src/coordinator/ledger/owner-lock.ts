/**
 * The one proof that a process owns a scope: an exclusive SQLite transaction on `owner.lock`,
 * which the operating system ends with the process, however it ends. The file is empty, says
 * nothing and is never removed, so there is no stale lock and no pid that could be recycled.
 *
 * Nobody opens the file through `fs` while it may be held: closing any descriptor of it would
 * drop the lock of the whole process.
 */
import { closeSync, openSync } from "node:fs";
import Database from "better-sqlite3";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { ledgerFailure } from "./ledger-errors.ts";

export interface OwnerLock {
  release(): void;
}

/**
 * Two takers at one instant meet in the steps of SQLite's lock; with a little patience exactly one
 * of them gets through, without any both may be turned away.
 */
const PATIENCE_MS = 200;

// A connection that nobody refers to is collected and closed, and its lock with it.
const held = new Set<Database.Database>();

/** `held` if another process, or another part of this one, has it still after `waitMs`. */
export function takeOwnerLock(
  path: string,
  { waitMs = PATIENCE_MS }: { readonly waitMs?: number } = {},
): OwnerLock | "held" {
  makePrivately(path);
  const db = open(path, waitMs);
  try {
    // Nothing is ever written, but SQLite would make a journal's file for it.
    db.pragma("journal_mode = MEMORY");
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (systemCode(error)?.startsWith("SQLITE_BUSY") === true) return "held";
    throw unusable(path, error);
  }
  held.add(db);
  return {
    release() {
      held.delete(db);
      db.close();
    },
  };
}

// Exclusively, so that a file which is there, and may be locked by this very process, is not opened.
function makePrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw ledgerFailure(error);
  }
}

function open(path: string, waitMs: number): Database.Database {
  try {
    return new Database(path, { fileMustExist: true, timeout: waitMs });
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): CodedError {
  if (systemCode(error) !== "SQLITE_NOTADB") return ledgerFailure(error);
  return new CodedError("ledger_unavailable", `${path} is no lock of an owner.`, {
    hint: "See what wrote it and move it away; no owner can hold it.",
    cause: error,
    fields: { path, changed: false },
  });
}
