/**
 * Brings a ledger's schema up to the newest known step, each step in a transaction of its own.
 *
 * A ledger of the same major with a higher minor than we know is left as it is: what a newer
 * program added, an older one does not see.
 */
import type Database from "better-sqlite3";
import { APPLICATION_ID, type Migration } from "./migrations.ts";

export function migrate(db: Database.Database, migrations: readonly Migration[]): void {
  for (const migration of migrations) {
    db.transaction(() => applyStep(db, migration)).immediate();
  }
}

function applyStep(db: Database.Database, { major, minor, sql }: Migration): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  const target = major * 1000 + minor;
  if (version >= target) return;
  db.exec(sql);
  db.pragma(`user_version = ${target}`);
  db.pragma(`application_id = ${APPLICATION_ID}`);
}
