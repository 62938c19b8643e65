/**
 * Looks whose ledger a file is, through a connection that cannot write: what is refused here stays
 * as it was, byte for byte, the log of a killed owner included. (A connection that could write
 * would fold such a log into the file when it closes.)
 *
 * The caller holds `owner.lock`, or reads beside the owner that does.
 */
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { refuseContradictions } from "../schema/migrate.ts";
import { APPLICATION_ID, MIGRATIONS, type Migration } from "../schema/migrations.ts";
import { ledgerFailure } from "./ledger-errors.ts";

export interface LedgerIdentity {
  /** Random, made with the ledger; what tells one ledger from another of the same place. */
  readonly instance: string;
  /** The canonical project root. */
  readonly root: string;
  readonly profile: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly schema: { readonly major: number; readonly minor: number };
}

export interface LookRequest {
  readonly path: string;
  /** Another history of the schema; tests alone pass one. */
  readonly migrations?: readonly Migration[];
  readonly busyTimeoutMs?: number;
}

/** `not_found`, `ledger_foreign`, `ledger_newer`, `ledger_damaged`, `overloaded`, `ledger_unavailable`. */
export function lookAtLedger({
  path,
  migrations = MIGRATIONS,
  busyTimeoutMs = BUSY_TIMEOUT_MS,
}: LookRequest): LedgerIdentity {
  if (!existsSync(path)) throw missing(path);
  return withoutTraces(path, () => {
    let db: Database.Database | null = null;
    try {
      db = new Database(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
      return identify(db, { path, migrations });
    } catch (error) {
      throw error instanceof CodedError ? error : failureOf(path, error);
    } finally {
      db?.close();
    }
  });
}

export const BUSY_TIMEOUT_MS = 5_000;

function identify(db: Database.Database, { path, migrations = MIGRATIONS }: LookRequest): LedgerIdentity {
  const id = db.pragma("application_id", { simple: true }) as number;
  const version = db.pragma("user_version", { simple: true }) as number;
  if (id !== APPLICATION_ID) throw foreign(db, path);
  const [major, known] = [Math.floor(version / 1000), migrations.at(-1)?.major ?? 0];
  if (major > known) {
    throw new CodedError(
      "ledger_newer",
      `The ledger has schema ${major}; this swarm-gen is older and knows ${known}.`,
      { fields: { path, schema: major, known, older: "swarm-gen", changed: false } },
    );
  }
  refuseContradictions(db, migrations);
  const scope = db.prepare("SELECT instance, root, profile, created_at AS createdAt FROM scope").get() as
    | Omit<LedgerIdentity, "schema">
    | undefined;
  if (scope === undefined) throw damaged(path, "names no scope");
  return { ...scope, schema: { major, minor: version % 1000 } };
}

function missing(path: string): CodedError {
  return new CodedError("not_found", `There is no ledger at ${path}.`, {
    hint: "If the scope had one, swarm-gen ledger restore brings a backup back; it is never made anew.",
    fields: { path, changed: false },
  });
}

function foreign(db: Database.Database, path: string): CodedError {
  if (db.prepare("SELECT 1 FROM sqlite_master").get() === undefined) return damaged(path, "is empty");
  return new CodedError("ledger_foreign", `${path} is a database of another program.`, {
    fields: { path, changed: false },
  });
}

function damaged(path: string, how: string): CodedError {
  return new CodedError("ledger_damaged", `The ledger ${path} ${how}.`, { fields: { path, changed: false } });
}

/** What SQLite says of a file, as an error of ours. */
export function failureOf(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code?.startsWith("SQLITE_NOTADB") === true) {
    return new CodedError("ledger_foreign", `${path} is no database.`, {
      cause: error,
      fields: { path, changed: false },
    });
  }
  // A statement that is wrong is a bug, and no fault of the file.
  return code?.startsWith("SQLITE_") === true && code !== "SQLITE_ERROR" ? ledgerFailure(error) : error;
}

/**
 * SQLite makes a log and its index even for reading, and a connection that cannot write leaves them
 * behind. One that can, and finds the log empty, writes nothing and takes them away: under SQLite's
 * own locks, since another process may have begun to use them.
 */
function withoutTraces<Result>(path: string, look: () => Result): Result {
  const traces = [`${path}-wal`, `${path}-shm`];
  const hadAny = traces.some((file) => existsSync(file));
  try {
    return look();
  } finally {
    if (!hadAny && traces.some((file) => existsSync(file))) openAndClose(path);
  }
}

function openAndClose(path: string): void {
  try {
    const db = new Database(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      db.pragma("schema_version");
    } finally {
      db.close();
    }
  } catch (error) {
    // What was found out stands without it: a read-only disk keeps the traces.
    if (systemCode(error)?.startsWith("SQLITE_") !== true) throw error;
  }
}
