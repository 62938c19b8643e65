/** What the database's own failures mean to a caller: out of room, out of reach, or busy. */
import { CodedError, systemCode } from "../../kernel/errors.ts";

/** The coded error for a failure of SQLite or of the file below it; it changed nothing. */
export function ledgerFailure(error: unknown): CodedError {
  const code = systemCode(error) ?? "";
  const details = { cause: error, fields: { changed: false } };
  if (code.startsWith("SQLITE_FULL") || code === "ENOSPC" || code === "EDQUOT") {
    return new CodedError("disk_full", "The ledger's file system has no room left; nothing was changed.", {
      ...details,
      hint: "Free some room, then repeat the command under the same id.",
    });
  }
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new CodedError(
      "overloaded",
      "Another process keeps the ledger busy; nothing was changed.",
      details,
    );
  }
  if (code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_NOTADB")) {
    return new CodedError("ledger_damaged", `The ledger cannot be read: ${code}.`, details);
  }
  return new CodedError("ledger_unavailable", `The ledger cannot be read or written: ${code}.`, details);
}
