/**
 * Opens the store's index: one SQLite database that many processes read and write.
 *
 * `busy_timeout` comes first, since everything after it may meet another process. WAL with
 * `synchronous=FULL`: a transaction that has returned survives power loss. On macOS only with
 * `fullfsync`, since a plain flush there leaves it to the disk; elsewhere it means nothing.
 */
import Database from "better-sqlite3";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { APPLICATION_ID, MIGRATIONS, SCHEMA_MAJOR } from "./migrations.ts";

export type Index = Database.Database;

const BUSY_TIMEOUT_MS = 30_000;

/** Opens the index at `path`, and makes it where it is missing. */
export function openIndex(path: string): Index {
  return prepare(path, (db) => {
    if (isCurrent(db)) return;
    switchToWal(db);
    db.transaction(() => migrate(db, path)).immediate();
  });
}

/** An empty index in memory: what reading a store that does not exist answers from. */
export function emptyIndex(): Index {
  return prepare(":memory:", (db) => migrate(db, ":memory:"));
}

function prepare(path: string, migrateIfNeeded: (db: Index) => void): Index {
  const db = new Database(path);
  try {
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // In one snapshot: another process may be making the index just now.
    db.transaction(() => refuseForeign(db, path))();
    db.pragma("synchronous = FULL");
    db.pragma("fullfsync = ON");
    db.pragma("checkpoint_fullfsync = ON");
    db.pragma("foreign_keys = ON");
    migrateIfNeeded(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const number = (db: Index, name: string): number => db.pragma(name, { simple: true }) as number;

function isCurrent(db: Index): boolean {
  return number(db, "user_version") >= SCHEMA_MAJOR * 1000 + MIGRATIONS.length;
}

function refuseForeign(db: Index, path: string): void {
  const version = number(db, "user_version");
  const id = number(db, "application_id");
  // A new database of ours has neither number yet, and nothing in it; one with tables is another's.
  if (id !== APPLICATION_ID && (id !== 0 || version !== 0 || holdsAnything(db))) {
    throw new CodedError("store_unavailable", `${path} is a database of another program.`, {
      hint: "Choose another place with SWARM_GEN_HOME.",
    });
  }
  if (Math.floor(version / 1000) > SCHEMA_MAJOR) {
    throw new CodedError(
      "store_newer",
      `The store's index has schema ${Math.floor(version / 1000)}; this swarm-gen knows ${SCHEMA_MAJOR}.`,
    );
  }
}

const holdsAnything = (db: Index): boolean => db.prepare("SELECT 1 FROM sqlite_master").get() !== undefined;

// SQLite answers "busy" at once, without its time-out, when two processes switch a new database
// to WAL together.
const WAL_ATTEMPTS = 200;
const WAL_PAUSE_MS = 20;

function switchToWal(db: Index): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 1; ; attempt += 1) {
    try {
      db.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (systemCode(error) !== "SQLITE_BUSY" || attempt === WAL_ATTEMPTS) throw error;
      Atomics.wait(pause, 0, 0, WAL_PAUSE_MS);
    }
  }
}

function migrate(db: Index, path: string): void {
  refuseForeign(db, path);
  const version = number(db, "user_version");
  const minor = version === 0 ? 0 : version % 1000;
  for (const step of MIGRATIONS.slice(minor)) db.exec(step);
  if (minor < MIGRATIONS.length) db.pragma(`user_version = ${SCHEMA_MAJOR * 1000 + MIGRATIONS.length}`);
  db.pragma(`application_id = ${APPLICATION_ID}`);
}
