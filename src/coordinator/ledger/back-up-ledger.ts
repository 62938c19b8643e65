/**
 * Writes a whole copy of a ledger to a new file, checks it, and only then gives it its name.
 *
 * The copy is one file without a log. It is checked as it will be restored: from the disk.
 */
import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import type { Ids } from "../../kernel/clock.ts";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { checkLedger } from "./check-ledger.ts";
import { describeLedger } from "./describe-ledger.ts";
import { flushFile, flushFolder } from "./flush-folder.ts";
import { ledgerFailure } from "./ledger-errors.ts";

export interface BackupFile {
  readonly file: string;
  readonly sizeBytes: number;
  /** The number of the newest event that it holds. */
  readonly newestEvent: number;
}

/** `wrong_state` where the file is there already; `ledger_damaged` where the copy does not pass the check. */
export async function backUpLedger(db: Database.Database, file: string, ids: Ids): Promise<BackupFile> {
  refuseExisting(file);
  const unfinished = `${file}.${ids.hex(8)}.new`;
  try {
    closeSync(openSync(unfinished, "wx", 0o600));
    await db.backup(unfinished, { progress: () => ALL_PAGES });
    const newestEvent = finish(unfinished);
    // A link, which refuses an existing name, where a rename would replace it.
    linkSync(unfinished, file);
    flushFolder(dirname(file));
    return { file, sizeBytes: statSync(file).size, newestEvent };
  } catch (error) {
    if (systemCode(error) === "EEXIST") refuseExisting(file);
    throw error instanceof CodedError ? error : ledgerFailure(error);
  } finally {
    for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(unfinished + end, { force: true });
  }
}

/** In one step, so that a ledger which is written meanwhile does not make it start anew. */
const ALL_PAGES = 2 ** 30;

function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw new CodedError("wrong_state", `${file} is there already; a backup replaces no file.`, {
    hint: "Name a new file.",
    fields: { path: file, changed: false },
  });
}

function finish(path: string): number {
  const copy = new Database(path, { fileMustExist: true });
  let newestEvent: number;
  try {
    copy.pragma("journal_mode = DELETE");
    const faults = checkLedger(copy);
    if (faults.length > 0) {
      throw new CodedError("ledger_damaged", `The ledger is damaged: ${faults[0]?.detail}.`, {
        hint: "Keep the older backups; swarm-gen ledger check lists what is wrong.",
        fields: { faults, changed: false },
      });
    }
    newestEvent = describeLedger(copy).newestEvent;
  } finally {
    copy.close();
  }
  flushFile(path);
  return newestEvent;
}
