/**
 * Reads a ledger from a process that is not its owner.
 *
 *   no owner runs   owner.lock is taken, file and log are copied to a private folder, the lock is
 *                   given back, and the copy is read: reading the closed ledger itself would
 *                   create files beside it
 *   an owner runs   the ledger itself, through a connection that cannot write: one snapshot, which
 *                   the owner neither waits for nor notices
 *
 * A reader that was killed leaves its copy behind; the next one that copies takes such away.
 */
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import type { Ids } from "../../kernel/clock.ts";
import { CodedError } from "../../kernel/errors.ts";
import { ledgerFailure } from "./ledger-errors.ts";
import { BUSY_TIMEOUT_MS, failureOf, type LedgerIdentity, lookAtLedger } from "./look-at-ledger.ts";
import { takeOwnerLock } from "./owner-lock.ts";

export interface LedgerPlace {
  /** The scope's folder; the private copy is made in it, so that a copy may share its blocks. */
  readonly folder: string;
  readonly ledger: string;
  readonly lock: string;
}

export interface OpenForReading {
  readonly db: Database.Database;
  readonly identity: LedgerIdentity;
  readonly ownerRuns: boolean;
}

/** `db` is open while `read` runs, and until its promise has settled. Errors as of `lookAtLedger`. */
export async function readBesideOwner<Result>(
  place: LedgerPlace,
  ids: Ids,
  read: (open: OpenForReading) => Result | Promise<Result>,
): Promise<Result> {
  refuseMissing(place.ledger);
  const copy = join(place.folder, `.reading-${ids.hex(8)}`);
  const copied = copyUnlessOwned(place, copy);
  try {
    if (copied !== null) return await readFile(copied, false, read);
    return await readFile(place.ledger, true, read);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The copy's path; null where an owner runs. */
function copyUnlessOwned({ ledger, lock }: LedgerPlace, folder: string): string | null {
  const taken = takeOwnerLock(lock);
  if (taken === "held") return null;
  try {
    const copy = copyLedger(ledger, folder);
    removeLeftovers(folder);
    return copy;
  } finally {
    taken.release();
  }
}

const COPY = /^\.reading-[0-9a-f]{16}$/;
/** No reader takes nearly as long. */
const LEFT_AFTER_MS = 60 * 60 * 1000;

/** Copies of readers that were killed: an hour older than the one just made, by the file system's own clock. */
function removeLeftovers(newest: string): void {
  const scope = dirname(newest);
  const bornBefore = statSync(newest).mtimeMs - LEFT_AFTER_MS;
  for (const name of readdirSync(scope).filter((entry) => COPY.test(entry))) {
    const left = join(scope, name);
    const made = statSync(left, { throwIfNoEntry: false });
    if (made !== undefined && made.mtimeMs < bornBefore) rmSync(left, { recursive: true, force: true });
  }
}

/** File and log, in a new folder of the user's own; the caller holds owner.lock. */
export function copyLedger(ledger: string, folder: string): string {
  refuseMissing(ledger);
  const copy = join(folder, "ledger.sqlite");
  try {
    mkdirSync(folder, { mode: 0o700 });
    for (const end of ["", "-wal"]) {
      if (existsSync(ledger + end)) copyFileSync(ledger + end, copy + end, constants.COPYFILE_FICLONE);
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw ledgerFailure(error);
  }
  return copy;
}

function refuseMissing(path: string): void {
  if (existsSync(path)) return;
  throw new CodedError("not_found", `There is no ledger at ${path}.`, {
    hint: "swarm-gen owner start makes a new scope's ledger; ledger restore brings back one that was lost.",
    fields: { path, changed: false },
  });
}

async function readFile<Result>(
  path: string,
  ownerRuns: boolean,
  read: (open: OpenForReading) => Result | Promise<Result>,
): Promise<Result> {
  const identity = lookAtLedger({ path });
  let db: Database.Database | null = null;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    return await read({ db, identity, ownerRuns });
  } catch (error) {
    throw error instanceof CodedError ? error : failureOf(path, error);
  } finally {
    db?.close();
  }
}
