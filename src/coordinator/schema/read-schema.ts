/**
 * A database's schema as it is, in a form that can be compared: each table as the set of its
 * columns and constraints, each index and trigger by its text.
 *
 * The order of columns, spaces and comments count for nothing: a column that was added later
 * stands elsewhere than in a table that was made with it, and means the same.
 */
import type Database from "better-sqlite3";
import { splitList, sqlTokens } from "./sql-tokens.ts";

export interface Schema {
  readonly tables: ReadonlyMap<string, TableSchema>;
  /** Indexes and triggers, by kind and name: `index task_unsettled`. */
  readonly attachments: ReadonlyMap<string, Attachment>;
}

export interface TableSchema {
  readonly sql: string;
  /** Columns by name, each with the tokens of its declaration. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** The constraints of the table as a whole, by their text. */
  readonly constraints: ReadonlyMap<string, readonly string[]>;
  /** `strict`, `without rowid`, as text. */
  readonly options: string;
}

export interface Attachment {
  readonly sql: string;
  /** Its tokens, joined. */
  readonly text: string;
  readonly table: string;
  /** Whether it can refuse a write: a unique index, a trigger. */
  readonly canRefuse: boolean;
}

interface MasterRow {
  readonly type: "table" | "index" | "trigger" | "view";
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string;
}

export function readSchema(db: Database.Database): Schema {
  const rows = db
    .prepare(
      `SELECT type, name, tbl_name, sql FROM sqlite_master
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`,
    )
    .all() as MasterRow[];
  return {
    tables: new Map(rows.filter(({ type }) => type === "table").map((row) => [row.name, tableOf(row.sql)])),
    attachments: new Map(
      rows
        .filter(({ type }) => type !== "table")
        .map((row) => [`${row.type} ${row.name}`, attachmentOf(row)]),
    ),
  };
}

const TABLE_CONSTRAINT = new Set(["constraint", "primary", "unique", "check", "foreign"]);

function tableOf(sql: string): TableSchema {
  const tokens = sqlTokens(sql);
  const [open, close] = [tokens.indexOf("("), tokens.lastIndexOf(")")];
  const parts = splitList(tokens.slice(open + 1, close));
  const isConstraint = ([first = ""]: readonly string[]) => TABLE_CONSTRAINT.has(first);
  return {
    sql,
    columns: new Map(parts.filter((part) => !isConstraint(part)).map((part) => [part[0] ?? "", part])),
    constraints: new Map(parts.filter(isConstraint).map((part) => [part.join(" "), part])),
    options: tokens.slice(close + 1).join(" "),
  };
}

function attachmentOf({ type, tbl_name: table, sql }: MasterRow): Attachment {
  const tokens = sqlTokens(sql);
  return { sql, text: tokens.join(" "), table, canRefuse: type !== "index" || tokens[1] === "unique" };
}
