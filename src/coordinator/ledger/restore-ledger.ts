/**
 * Puts a backup in the place of a scope's ledger.
 *
 *   in    the backup's file, the scope that it must belong to, whether to apply or only to tell
 *   out   what the ledger holds that the backup lacks, and where the replaced ledger is kept
 *   throws `wrong_state` while an owner runs; `ledger_foreign`, `ledger_newer` or `ledger_damaged`
 *          for a backup that cannot serve; nothing is changed then
 *
 * Time went on after the backup was made. So that nothing which was handed out meanwhile is handed
 * out again, the fences of free tasks and the numbers of events make a leap. The replaced ledger
 * keeps its bytes under another name; the new one takes its place in one rename.
 */
import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import type { Ids } from "../../kernel/clock.ts";
import { CodedError } from "../../kernel/errors.ts";
import { checkLedger } from "./check-ledger.ts";
import { closeLedger } from "./close-ledger.ts";
import { compareLedgers, type LedgerLoss } from "./compare-ledgers.ts";
import { describeLedger } from "./describe-ledger.ts";
import { flushFile, flushFolder } from "./flush-folder.ts";
import { ledgerFailure } from "./ledger-errors.ts";
import { lookAtLedger } from "./look-at-ledger.ts";
import type { ScopeIdentity } from "./open-ledger.ts";
import { takeOwnerLock } from "./owner-lock.ts";
import { copyLedger, type LedgerPlace } from "./read-beside-owner.ts";

export interface RestoreRequest {
  readonly place: LedgerPlace;
  readonly scope: ScopeIdentity;
  /** Absolute. */
  readonly backup: string;
  /** False tells what would be lost and changes nothing. */
  readonly apply: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Restored {
  readonly applied: boolean;
  readonly backup: string;
  readonly instance: string;
  /** When the backup's last event happened, ISO 8601, UTC. */
  readonly backupReachesTo: string | null;
  /** Null where the present ledger is gone or cannot be read, which `lossUnknown` then says. */
  readonly lost: LedgerLoss | null;
  readonly lossUnknown: string | null;
  /** The replaced ledger's new path; null where there was none, or nothing was applied. */
  readonly keptAt: string | null;
}

export function restoreLedger(request: RestoreRequest, ids: Ids): Restored {
  const { place, backup } = request;
  if (resolve(backup) === resolve(place.ledger)) {
    throw new CodedError("invalid_input", "A ledger cannot be restored from itself.", {
      fields: { changed: false },
    });
  }
  const lock = takeOwnerLock(place.lock);
  if (lock === "held") {
    throw new CodedError("wrong_state", "The scope's owner runs; its ledger cannot be replaced.", {
      hint: "swarm-gen owner stop, then restore again.",
      fields: { path: place.ledger, changed: false },
    });
  }
  const folders = [`.restoring-${ids.hex(8)}`, `.reading-${ids.hex(8)}`].map((name) =>
    join(place.folder, name),
  );
  try {
    return restoreLocked(request, folders);
  } finally {
    lock.release();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

function restoreLocked(
  request: RestoreRequest,
  [forBackup = "", forPresent = ""]: readonly string[],
): Restored {
  const { place, scope, backup, apply } = request;
  const restored = copyLedger(backup, forBackup);
  refuseUnfit(restored, request);
  const loss = lossOf(place.ledger, restored, forPresent);
  const reaches = reading(restored, describeLedger).newestEventAt;
  const keptAt =
    apply && existsSync(place.ledger) ? `${place.ledger}.until-${fileInstant(request.now)}` : null;
  if (apply) {
    leap(restored, { ...request, newestEvent: loss.newestEvent, keptAt });
    flushFile(restored);
    replace({ ledger: place.ledger, restored, keptAt });
    flushFolder(place.folder);
  }
  const { lost, lossUnknown } = loss;
  return {
    applied: apply,
    backup,
    instance: scope.instance,
    backupReachesTo: reaches,
    lost,
    lossUnknown,
    keptAt,
  };
}

/** `20261130T150000000Z`: sorts by time and is a file's name everywhere. */
const fileInstant = (now: number): string => new Date(now).toISOString().replaceAll(/[-:.]/g, "");

function refuseUnfit(path: string, { scope, backup }: RestoreRequest): void {
  const { instance, root, profile } = lookAtLedger({ path });
  if (instance !== scope.instance || root !== scope.root || profile !== scope.profile) {
    throw new CodedError(
      "ledger_foreign",
      `${backup} is a backup of ledger ${instance} of ${root} (${profile}).`,
      {
        hint: `Name a backup of ledger ${scope.instance}.`,
        fields: { found: instance, expected: scope.instance, root, profile, changed: false },
      },
    );
  }
  const db = new Database(path);
  try {
    db.pragma("journal_mode = DELETE");
    const faults = checkLedger(db);
    if (faults.length === 0) return;
    throw new CodedError("ledger_damaged", `${backup} is damaged: ${faults[0]?.detail}.`, {
      hint: "Restore another backup.",
      fields: { faults, changed: false },
    });
  } finally {
    db.close();
  }
}

function reading<Result>(path: string, read: (db: Database.Database) => Result): Result {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

interface Loss extends Pick<Restored, "lost" | "lossUnknown"> {
  readonly newestEvent: number | null;
}

/** The present ledger may be what has to be replaced because it cannot be read. */
function lossOf(ledger: string, restored: string, folder: string): Loss {
  if (!existsSync(ledger))
    return { lost: null, lossUnknown: "the present ledger is gone", newestEvent: null };
  try {
    const present = copyLedger(ledger, folder);
    lookAtLedger({ path: present });
    return reading(present, (db) => ({
      lost: compareLedgers(db, restored),
      lossUnknown: null,
      newestEvent: describeLedger(db).newestEvent,
    }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { lost: null, lossUnknown: `the present ledger cannot be read: ${why}`, newestEvent: null };
  }
}

/** More fences and events than any ledger hands out between a backup and its restoration, one hopes. */
const FENCE_LEAP = 1_000;
const EVENT_LEAP = 1_000_000;

function leap(
  path: string,
  request: RestoreRequest & { readonly newestEvent: number | null; readonly keptAt: string | null },
): void {
  const { backup, now, newestEvent, keptAt } = request;
  const db = new Database(path);
  db.transaction(() => {
    // A task that is held keeps its fence, which its holder must still be able to use.
    db.prepare(
      `UPDATE task SET last_fence = last_fence + @leap, version = version + 1
        WHERE NOT EXISTS (SELECT 1 FROM attempt WHERE task = task.id AND attempt.ended_at IS NULL)`,
    ).run({ leap: FENCE_LEAP });
    const reached = newestEvent ?? describeLedger(db).newestEvent + EVENT_LEAP;
    db.prepare(
      "INSERT INTO event (seq, type, entity, payload, at) VALUES (@seq, @type, @entity, @payload, @now)",
    ).run({
      seq: reached + 1,
      type: "ledger.restored",
      entity: request.scope.instance,
      payload: JSON.stringify({ backup, keptAt }),
      now,
    });
  }).immediate();
  closeLedger(db);
}

function replace(paths: {
  readonly ledger: string;
  readonly restored: string;
  readonly keptAt: string | null;
}): void {
  const { ledger, restored, keptAt } = paths;
  try {
    if (keptAt !== null) keepAside(ledger, keptAt);
    renameSync(restored, ledger);
  } catch (error) {
    throw ledgerFailure(error);
  }
}

/** A second name first, so that there is never a moment without a ledger. Its log must not meet the new file. */
function keepAside(ledger: string, keptAt: string): void {
  linkSync(ledger, keptAt);
  for (const end of ["-wal", "-shm"]) if (existsSync(ledger + end)) renameSync(ledger + end, keptAt + end);
}
