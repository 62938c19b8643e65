/**
 * Opens or creates a scope's ledger. The two are different verbs: what should be there and is not,
 * is never made anew (a restart never re-initialises a ledger).
 *
 * Only the holder of `owner.lock` calls this, and nobody opens the file through `fs` beside it:
 * closing such a descriptor would drop SQLite's lock.
 */
import Database from "better-sqlite3";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { migrate } from "../schema/migrate.ts";
import { APPLICATION_ID, MIGRATIONS, type Migration } from "../schema/migrations.ts";

export type LedgerDatabase = Database.Database;

export interface ScopeIdentity {
  /** Random, made with the ledger; what tells one ledger from another of the same place. */
  readonly instance: string;
  /** The canonical project root. */
  readonly root: string;
  readonly profile: string;
}

const BUSY_TIMEOUT_MS = 5_000;

export interface OpenRequest {
  readonly path: string;
  /** The instance that the scope's config names. */
  readonly instance: string;
  /** Another history of the schema; tests alone pass one. */
  readonly migrations?: readonly Migration[];
}

/** `not_found`, `ledger_foreign`, `ledger_newer`, `ledger_damaged`; none of them changes a byte of the file. */
export function openLedger({ path, instance, migrations = MIGRATIONS }: OpenRequest): LedgerDatabase {
  const db = openFile(path, { fileMustExist: true });
  return preparing(db, () => {
    refuseForeign(db, path, migrations);
    const found = db.prepare("SELECT instance FROM scope").pluck().get();
    if (found !== instance) {
      throw new CodedError(
        "ledger_foreign",
        `${path} is ledger ${found}, not ${instance}, which the scope names.`,
        {
          fields: { path, found, expected: instance, changed: false },
        },
      );
    }
    makeDurable(db);
    migrate(db, migrations);
  });
}

export interface CreateRequest extends ScopeIdentity {
  readonly path: string;
  readonly now: number;
  readonly migrations?: readonly Migration[];
}

/** `wrong_state` where a file is there already. */
export function createLedger({ path, migrations = MIGRATIONS, ...scope }: CreateRequest): LedgerDatabase {
  const db = openFile(path, {});
  return preparing(db, () => {
    if (db.prepare("SELECT 1 FROM sqlite_master").get() !== undefined) {
      throw new CodedError("wrong_state", `${path} is there already; a ledger is created only once.`, {
        fields: { path, changed: false },
      });
    }
    makeDurable(db);
    migrate(db, migrations);
    db.prepare(
      "INSERT INTO scope (only_row, instance, root, profile, created_at) VALUES (1, @instance, @root, @profile, @now)",
    ).run(scope);
    db.prepare("INSERT INTO service (only_row, served_at) VALUES (1, @now)").run({ now: scope.now });
  });
}

function openFile(path: string, options: Database.Options): LedgerDatabase {
  try {
    return new Database(path, { ...options, timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    if (systemCode(error) !== "SQLITE_CANTOPEN") throw error;
    throw new CodedError("not_found", `There is no ledger at ${path}.`, {
      hint: "If the scope is new, swarm-gen owner start makes it; if it had one, restore a backup.",
      cause: error,
      fields: { path },
    });
  }
}

function preparing(db: LedgerDatabase, prepare: () => void): LedgerDatabase {
  try {
    prepare();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const pragma = (db: LedgerDatabase, name: string): number => db.pragma(name, { simple: true }) as number;

/** Looks and writes nothing: what is refused here stays as it was. */
function refuseForeign(db: LedgerDatabase, path: string, migrations: readonly Migration[]): void {
  let id: number;
  let version: number;
  try {
    id = pragma(db, "application_id");
    version = pragma(db, "user_version");
  } catch (error) {
    if (systemCode(error) !== "SQLITE_NOTADB") throw error;
    throw new CodedError("ledger_foreign", `${path} is no database.`, {
      cause: error,
      fields: { path, changed: false },
    });
  }
  if (id !== APPLICATION_ID) {
    throw new CodedError("ledger_foreign", `${path} is a database of another program.`, {
      fields: { path, changed: false },
    });
  }
  const [major, known] = [Math.floor(version / 1000), migrations.at(-1)?.major ?? 0];
  if (major > known) {
    throw new CodedError(
      "ledger_newer",
      `The ledger has schema ${major}; this swarm-gen is older and knows ${known}.`,
      {
        fields: { path, schema: major, known, older: "swarm-gen", changed: false },
      },
    );
  }
}

function makeDurable(db: LedgerDatabase): void {
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  // On macOS a plain flush leaves the data to the disk; elsewhere these mean nothing.
  db.pragma("fullfsync = ON");
  db.pragma("checkpoint_fullfsync = ON");
  db.pragma("foreign_keys = ON");
}
