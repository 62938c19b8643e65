/** The schema that a history of steps declares: what a ledger has that was made by all of them. */
import Database from "better-sqlite3";
import type { Migration } from "./migrations.ts";
import { readSchema, type Schema } from "./read-schema.ts";

export function declaredSchema(migrations: readonly Migration[]): Schema {
  const db = new Database(":memory:");
  try {
    for (const { sql } of migrations) db.exec(sql);
    return readSchema(db);
  } finally {
    db.close();
  }
}
