/** Closes a ledger so that nothing beside the file is needed to read it. */
import type Database from "better-sqlite3";
import { systemCode } from "../../kernel/errors.ts";

/** Folds the log into the file; who reads the ledger of a stopped owner then creates no file. */
export function closeLedger(db: Database.Database): void {
  try {
    db.pragma("journal_mode = DELETE");
  } catch (error) {
    // Somebody reads it just now, or the disk is full: the log stays, and the next to open it folds it in.
    if (systemCode(error)?.startsWith("SQLITE_") !== true) throw error;
  } finally {
    db.close();
  }
}
