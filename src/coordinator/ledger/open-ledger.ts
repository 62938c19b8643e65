/**
 * Opens or creates a scope's ledger. The two are different verbs: what should be there and is not,
 * is never made anew (a restart never re-initialises a ledger).
 *
 * Only the holder of `owner.lock` calls this, and nobody opens the file through `fs` beside it:
 * closing such a descriptor would drop SQLite's lock.
 */
import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { CodedError } from "../../kernel/errors.ts";
import { migrate } from "../schema/migrate.ts";
import { MIGRATIONS, type Migration } from "../schema/migrations.ts";
import { flushFolder } from "./flush-folder.ts";
import { ledgerFailure } from "./ledger-errors.ts";
import { BUSY_TIMEOUT_MS, failureOf, type LedgerIdentity, lookAtLedger } from "./look-at-ledger.ts";

export type LedgerDatabase = Database.Database;

export type ScopeIdentity = Pick<LedgerIdentity, "instance" | "root" | "profile">;

export interface OpenRequest {
  readonly path: string;
  /** The instance that the scope's config names. */
  readonly instance: string;
  /** Another history of the schema; tests alone pass one. */
  readonly migrations?: readonly Migration[];
  /** How long to wait for another process that keeps the file busy. */
  readonly busyTimeoutMs?: number;
}

/**
 * `not_found`, `ledger_foreign`, `ledger_newer`, `ledger_damaged`: none of them changes a byte of
 * the file. `overloaded` while another process keeps it busy.
 */
export function openLedger({
  path,
  instance,
  migrations = MIGRATIONS,
  busyTimeoutMs = BUSY_TIMEOUT_MS,
}: OpenRequest): LedgerDatabase {
  refuseOtherInstance(path, lookAtLedger({ path, migrations, busyTimeoutMs }), instance);
  return connect({ path, busyTimeoutMs }, (db) => {
    makeDurable(db);
    migrate(db, migrations);
  });
}

/** SQLite's own word for a database without a file: for simulations, which have no disk to lose. */
const IN_MEMORY = ":memory:";

export interface CreateRequest extends ScopeIdentity {
  readonly path: string;
  readonly now: number;
  readonly migrations?: readonly Migration[];
}

/**
 * `wrong_state` where a file is there already. The ledger appears at its place whole: made under
 * another name, flushed, then renamed, so that a crash leaves all of it or nothing.
 */
export function createLedger({ path, migrations = MIGRATIONS, ...scope }: CreateRequest): LedgerDatabase {
  if (path === IN_MEMORY) {
    return connect({ path }, (db) => {
      makeDurable(db);
      migrate(db, migrations);
      addScope(db, scope);
    });
  }
  if (existsSync(path)) {
    throw new CodedError("wrong_state", `${path} is there already; a ledger is created only once.`, {
      fields: { path, changed: false },
    });
  }
  const unfinished = `${path}.new`;
  try {
    for (const file of [unfinished, `${unfinished}-journal`]) rmSync(file, { force: true });
    // 0600 from the moment it exists, whatever the umask is; SQLite gives its log the same mode.
    closeSync(openSync(unfinished, "wx", 0o600));
  } catch (error) {
    throw ledgerFailure(error);
  }
  connect({ path: unfinished }, (db) => {
    db.pragma("synchronous = EXTRA");
    migrate(db, migrations);
    addScope(db, scope);
  }).close();
  renameSync(unfinished, path);
  flushFolder(dirname(path));
  return connect({ path }, makeDurable);
}

function addScope(db: LedgerDatabase, scope: ScopeIdentity & { readonly now: number }): void {
  db.prepare(
    "INSERT INTO scope (only_row, instance, root, profile, created_at) VALUES (1, @instance, @root, @profile, @now)",
  ).run(scope);
  db.prepare("INSERT INTO service (only_row, served_at) VALUES (1, @now)").run({ now: scope.now });
}

function connect(
  { path, busyTimeoutMs = BUSY_TIMEOUT_MS }: { readonly path: string; readonly busyTimeoutMs?: number },
  prepare: (db: LedgerDatabase) => void,
): LedgerDatabase {
  let db: LedgerDatabase | null = null;
  try {
    db = new Database(path, { fileMustExist: path !== IN_MEMORY, timeout: busyTimeoutMs });
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    throw error instanceof CodedError ? error : failureOf(path, error);
  }
}

function refuseOtherInstance(path: string, { instance: found }: LedgerIdentity, expected: string): void {
  if (found === expected) return;
  throw new CodedError(
    "ledger_foreign",
    `${path} is ledger ${found}, not ${expected}, which the scope names.`,
    {
      fields: { path, found, expected, changed: false },
    },
  );
}

function makeDurable(db: LedgerDatabase): void {
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  // On macOS a plain flush leaves the data to the disk; elsewhere these mean nothing.
  db.pragma("fullfsync = ON");
  db.pragma("checkpoint_fullfsync = ON");
  db.pragma("foreign_keys = ON");
}
