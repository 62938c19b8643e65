/** What SQLite says of itself and of an index; for `doctor`. Changes nothing. */
import Database from "better-sqlite3";
import { withStoreErrors } from "../store-errors.ts";

export interface IndexDescription {
  readonly sqliteVersion: string;
  /** `wal`, …; null where there is no index. */
  readonly journal: string | null;
}

/** `path` is the index, or null where the store has none. */
export function describeIndex(path: string | null): IndexDescription {
  return withStoreErrors(`look at the index ${path ?? "in memory"}`, () => describe(path));
}

function describe(path: string | null): IndexDescription {
  const db = path === null ? new Database(":memory:") : new Database(path, { readonly: true });
  try {
    return {
      sqliteVersion: db.prepare("SELECT sqlite_version()").pluck().get() as string,
      journal: path === null ? null : (db.pragma("journal_mode", { simple: true }) as string),
    };
  } finally {
    db.close();
  }
}
