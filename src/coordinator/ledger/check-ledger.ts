/** Looks for damage in a ledger: SQLite's own checks, then the invariants that its rows must keep. */
import type Database from "better-sqlite3";
import { LEDGER_INVARIANTS } from "./ledger-invariants.ts";

export interface LedgerFault {
  /** `integrity`, `foreign key`, or the invariant that is broken. */
  readonly kind: string;
  /** What is broken: SQLite's own words, or the claim. */
  readonly detail: string;
  /** Ids of rows, at most 20; empty for SQLite's own checks. */
  readonly subjects: readonly string[];
}

const MOST_TOLD = 20;

/** Empty if the ledger is sound. In the midst of damage, what can no longer be looked at is a fault too. */
export function checkLedger(db: Database.Database): LedgerFault[] {
  const broken = attempt("integrity", () =>
    (db.pragma(`integrity_check(${MOST_TOLD})`) as { integrity_check: string }[])
      .map((row) => row.integrity_check)
      .filter((text) => text !== "ok")
      .map((detail) => ({ kind: "integrity", detail, subjects: [] })),
  );
  // Rows of a damaged file prove nothing.
  return broken.length > 0 ? broken : [...foreignKeys(db), ...invariants(db)];
}

function foreignKeys(db: Database.Database): LedgerFault[] {
  return attempt("foreign key", () =>
    (db.pragma("foreign_key_check") as { table: string; parent: string }[])
      .slice(0, MOST_TOLD)
      .map(({ table, parent }) => ({
        kind: "foreign key",
        detail: `a row of ${table} names none of ${parent}`,
        subjects: [],
      })),
  );
}

function invariants(db: Database.Database): LedgerFault[] {
  return LEDGER_INVARIANTS.flatMap(({ invariant, claim, sql }) =>
    attempt(invariant, () => {
      const subjects = (db.prepare(sql).pluck().all() as unknown[]).slice(0, MOST_TOLD).map(String);
      return subjects.length === 0
        ? []
        : [{ kind: invariant, detail: `it does not hold that ${claim}`, subjects }];
    }),
  );
}

function attempt(kind: string, look: () => LedgerFault[]): LedgerFault[] {
  try {
    return look();
  } catch (error) {
    return [{ kind, detail: error instanceof Error ? error.message : String(error), subjects: [] }];
  }
}
