/**
 * SQL by its text: each statement is prepared once for a connection and then reused. What runs a
 * command and what answers a query read through the same three verbs.
 */
import type Database from "better-sqlite3";

export type Parameters = Readonly<Record<string, string | number | bigint | Uint8Array | null>>;

export interface Reading {
  /** The first row, or undefined. */
  get<Row>(sql: string, parameters?: Parameters): Row | undefined;
  all<Row>(sql: string, parameters?: Parameters): Row[];
}

export interface Writing extends Reading {
  /** How many rows the statement changed. */
  run(sql: string, parameters?: Parameters): number;
}

const NONE: Parameters = {};

export function createStatements(db: Database.Database): Writing {
  const prepared = new Map<string, Database.Statement>();
  const statement = (sql: string): Database.Statement => {
    let known = prepared.get(sql);
    if (known === undefined) {
      known = db.prepare(sql);
      prepared.set(sql, known);
    }
    return known;
  };
  return {
    get: <Row>(sql: string, parameters = NONE) => statement(sql).get(parameters) as Row | undefined,
    all: <Row>(sql: string, parameters = NONE) => statement(sql).all(parameters) as Row[],
    run: (sql, parameters = NONE) => statement(sql).run(parameters).changes,
  };
}
