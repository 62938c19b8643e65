/** The ledger's steps are what they say they are; and the lint that says so can see a fault. */
import { describe, expect, test } from "vitest";
import { lintMigrations } from "../../src/coordinator/schema/lint-migrations.ts";
import { MIGRATIONS, type Migration } from "../../src/coordinator/schema/migrations.ts";

test("the ledger's migrations pass the lint", () => {
  expect(MIGRATIONS.length).toBeGreaterThan(0);
  expect(lintMigrations(MIGRATIONS)).toEqual([]);
});

const FIRST: Migration = {
  major: 1,
  minor: 0,
  kind: "breaking",
  sql: `
    CREATE TABLE task (
      id    TEXT PRIMARY KEY,
      state TEXT NOT NULL CONSTRAINT task_state CHECK (state IN ('open', 'done')),
      note  TEXT
    ) STRICT;
    CREATE TABLE attempt (task TEXT CONSTRAINT attempt_task REFERENCES task (id), fence INTEGER) STRICT;
    CREATE INDEX attempt_by_task ON attempt (task);`,
};

const after = (sql: string, step: Partial<Migration> = {}) =>
  lintMigrations([FIRST, { major: 1, minor: 1, kind: "compatible", sql, ...step }]);

test("a compatible step may add tables, columns that can be left out, and indexes that refuse nothing", () => {
  expect(
    after(`
      CREATE TABLE label (task TEXT NOT NULL CONSTRAINT label_task REFERENCES task (id)) STRICT;
      CREATE UNIQUE INDEX label_once ON label (task);
      CREATE TRIGGER label_stays BEFORE UPDATE ON label BEGIN SELECT RAISE(ABORT, 'it; stays'); END;
      ALTER TABLE task ADD COLUMN due_at INTEGER;
      ALTER TABLE task ADD COLUMN weight INTEGER NOT NULL DEFAULT 1;
      CREATE INDEX task_by_due ON task (due_at);`),
  ).toEqual([]);
});

const REBUILD = (declaration: string) => `
  CREATE TABLE other (${declaration}) STRICT;
  DROP TABLE task;
  ALTER TABLE other RENAME TO task;`;

const CANARIES: readonly (readonly [string, string])[] = [
  ["drops a table", "DROP TABLE attempt;"],
  ["drops an index", "DROP INDEX attempt_by_task;"],
  ["drops a column", "ALTER TABLE task DROP COLUMN note;"],
  ["renames a table", "ALTER TABLE task RENAME TO job;"],
  ["renames a column", "ALTER TABLE task RENAME COLUMN note TO remark;"],
  ["adds NOT NULL without a default", "ALTER TABLE attempt ADD COLUMN by TEXT NOT NULL;"],
  [
    "adds a CHECK to a table that older programs write",
    "ALTER TABLE task ADD COLUMN n INTEGER CONSTRAINT task_n CHECK (n > 0);",
  ],
  [
    "changes a type",
    REBUILD(
      "id TEXT PRIMARY KEY, state TEXT NOT NULL CONSTRAINT task_state CHECK (state IN ('open', 'done')), note ANY",
    ),
  ],
  [
    "changes a CHECK",
    REBUILD(
      "id TEXT PRIMARY KEY, state TEXT NOT NULL CONSTRAINT task_state CHECK (state IN ('open')), note TEXT",
    ),
  ],
  [
    "rebuilds a table as it was, without its rows",
    REBUILD(
      "id TEXT PRIMARY KEY, state TEXT NOT NULL CONSTRAINT task_state CHECK (state IN ('open', 'done')), note TEXT",
    ),
  ],
  ["lets an index refuse what was allowed", "CREATE UNIQUE INDEX attempt_fence ON attempt (fence);"],
  [
    "lets a trigger refuse what was allowed",
    "CREATE TRIGGER task_stays BEFORE UPDATE ON task BEGIN SELECT RAISE(ABORT, 'no'); END;",
  ],
  ["changes rows", "UPDATE task SET note = 'x';"],
  ["deletes rows", "DELETE FROM attempt;"],
  ["makes a table that is not STRICT", "CREATE TABLE label (task TEXT);"],
  ["has a constraint without a name", "CREATE TABLE label (n INTEGER CHECK (n > 0)) STRICT;"],
  [
    "rolls the whole transaction back in a trigger",
    "CREATE TABLE label (n INTEGER) STRICT; CREATE TRIGGER label_stays BEFORE UPDATE ON label BEGIN SELECT RAISE(ROLLBACK, 'no'); END;",
  ],
  ["does not run", "ALTER TABLE nowhere ADD COLUMN n INTEGER;"],
];

describe("a compatible step is found out that", () => {
  test.each(CANARIES)("%s", (_, sql) => {
    expect(after(sql)).not.toEqual([]);
  });
});

describe("a step's number is found out that", () => {
  test.each<[string, Partial<Migration>]>([
    ["leaves one out", { minor: 2 }],
    ["comes twice", { minor: 0 }],
    ["raises the major of a compatible step", { major: 2, minor: 0 }],
    ["raises the minor of a breaking step", { kind: "breaking" }],
  ])("%s", (_, step) => {
    expect(after("CREATE TABLE label (n INTEGER) STRICT;", step)).toHaveLength(1);
  });
});
