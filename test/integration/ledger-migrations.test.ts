/**
 * Promise: a ledger is brought forward without a loss, whichever history its schema has; two
 * histories under one number end up as one or are refused; the first format stays readable (X22).
 */
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { openLedger } from "../../src/coordinator/ledger/open-ledger.ts";
import { MIGRATIONS, type Migration } from "../../src/coordinator/schema/migrations.ts";
import { refusalOf } from "../fixtures/coded-error.ts";
import { type LedgerFolder, makeLedgerFolder } from "../fixtures/ledger-folder.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";

const compatible = (minor: number, sql: string): Migration => ({ major: 1, minor, kind: "compatible", sql });

const LABELS = compatible(1, "CREATE TABLE label (task TEXT PRIMARY KEY, word TEXT NOT NULL) STRICT;");
const DUE = compatible(
  1,
  "ALTER TABLE task ADD COLUMN due_at INTEGER; CREATE INDEX task_by_due ON task (due_at);",
);
const DUE_AS_TEXT = compatible(1, "ALTER TABLE task ADD COLUMN due_at TEXT;");
const WEIGHT = compatible(2, "ALTER TABLE task ADD COLUMN weight INTEGER NOT NULL DEFAULT 7;");
const SECOND_MAJOR: Migration = {
  major: 2,
  minor: 0,
  kind: "breaking",
  sql: "ALTER TABLE task RENAME COLUMN title TO headline; ALTER TABLE label ADD COLUMN colour TEXT;",
};

const FACTS_READ = [
  "SELECT * FROM actor",
  "SELECT actor, revision, capability_digest, state FROM enrollment",
  "SELECT id, title, state, version, last_fence FROM task",
  "SELECT task, fence, actor, state, lease_until FROM attempt",
  "SELECT actor, id, fingerprint, answer FROM command",
];

/** What an upgrade may not change, row by row. */
const factsOf = ({ query }: LedgerFolder) => FACTS_READ.map((sql) => query(sql));

/** A ledger in which a worker holds a task, brought up to `steps`. */
function ledgerOf(...steps: Migration[]): LedgerFolder {
  const world = createLedgerWorld();
  const { task } = world.call("task add", world.operator, { title: "Port", brief: { objective: "Port it" } });
  world.call("attempt claim", world.enroll("worker"), { task });
  const ledger = makeLedgerFolder();
  world.db.exec(`VACUUM INTO '${ledger.path}'`);
  open(ledger, ...steps);
  return ledger;
}

function open(ledger: LedgerFolder, ...steps: Migration[]): void {
  const migrations = [...MIGRATIONS.slice(0, 1), ...steps];
  openLedger({ path: ledger.path, instance: "world", migrations }).close();
}

/** The schema by SQLite's own words, a table's columns in any order. */
function schemaOf({ path }: LedgerFolder): unknown {
  const db = new Database(path);
  const named = (name: string, argument: string) =>
    db.pragma(`${name}(${argument})`) as { name: string; cid?: number; seq?: number }[];
  const sorted = (rows: object[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  try {
    const tables = db.pragma("table_list") as { name: string; schema: string; strict: number; wr: number }[];
    return sorted(
      tables
        .filter(({ name }) => !name.startsWith("sqlite_"))
        .map(({ name, strict, wr }) => ({
          name,
          strict,
          wr,
          columns: sorted(named("table_xinfo", name).map(({ cid: _, ...column }) => column)),
          keys: sorted(named("foreign_key_list", name)),
          indexes: sorted(
            named("index_list", name).map(({ seq: _, ...index }) => ({
              ...index,
              columns: named("index_xinfo", index.name).map(({ cid: _cid, ...column }) => column),
            })),
          ),
        })),
    );
  } finally {
    db.close();
  }
}

test("a ledger that was migrated step by step has the schema of a fresh one", () => {
  const steps = [LABELS, WEIGHT, SECOND_MAJOR];
  const migrated = ledgerOf();
  for (let count = 1; count <= steps.length; count += 1) open(migrated, ...steps.slice(0, count));
  const fresh = makeLedgerFolder();
  fresh.create([...MIGRATIONS.slice(0, 1), ...steps]);
  expect(schemaOf(migrated)).toEqual(schemaOf(fresh));
  expect(migrated.query("PRAGMA user_version")).toEqual([{ user_version: 2000 }]);
});

test("a fresh ledger and one made at the first step and opened now have equal schemas", () => {
  const first = ledgerOf();
  openLedger({ path: first.path, instance: "world" }).close();
  const fresh = makeLedgerFolder();
  fresh.create();
  expect(schemaOf(first)).toEqual(schemaOf(fresh));
});

test("actors, tasks, claims and fingerprints are the same after three upgrades, a breaking one among them (X22)", () => {
  const ledger = ledgerOf();
  const before = factsOf(ledger);
  open(ledger, LABELS);
  open(ledger, LABELS, WEIGHT);
  expect(factsOf(ledger)).toEqual(before);
  open(ledger, LABELS, WEIGHT, SECOND_MAJOR);
  expect(ledger.query("SELECT headline, state, last_fence, weight FROM task")).toEqual([
    { headline: "Port", state: "running", last_fence: 1, weight: 7 },
  ]);
});

test("two histories that gave one number to different additions converge, from either side", () => {
  const [ours, theirs] = [ledgerOf(LABELS), ledgerOf(DUE)];
  const before = factsOf(ours);
  open(ours, DUE);
  open(theirs, LABELS);
  expect(schemaOf(ours)).toEqual(schemaOf(theirs));
  expect(factsOf(ours)).toEqual(before);
  expect(factsOf(theirs)).toEqual(before);
  expect(ours.query("SELECT due_at FROM task")).toEqual([{ due_at: null }]);
  open(ours, LABELS);
});

test("two histories that gave one column different types are refused, and nothing is written", () => {
  const ledger = ledgerOf(DUE);
  const before = ledger.bytes();
  const refusal = refusalOf(() => open(ledger, DUE_AS_TEXT));
  expect(refusal).toMatchObject({
    code: "ledger_foreign",
    fields: { differences: ["task.due_at is declared otherwise"], changed: false },
  });
  expect(ledger.bytes()).toEqual(before);
});

test("a step that fails is rolled back whole, and the one before it stands", () => {
  const ledger = ledgerOf();
  const before = factsOf(ledger);
  const clash: Migration = {
    major: 2,
    minor: 0,
    kind: "breaking",
    sql: "DELETE FROM command; CREATE UNIQUE INDEX task_nothing ON task (nowhere);",
  };
  expect(() => open(ledger, LABELS, clash)).toThrow(/nowhere/);
  expect(factsOf(ledger)).toEqual(before);
  open(ledger, LABELS);
});

test("a newer minor opens, keeps what it added, and takes writes that do not know of it", () => {
  const ledger = ledgerOf(LABELS, WEIGHT);
  open(ledger);
  ledger.tamper(
    "INSERT INTO task (id, title, brief, created_by, created_at, state, version, last_fence) VALUES ('t-2', 'Next', '{}', 'operator', 1, 'open', 1, 0)",
  );
  expect(ledger.query("PRAGMA user_version")).toEqual([{ user_version: 1002 }]);
  expect(ledger.query("SELECT title, weight FROM task ORDER BY title")).toEqual([
    { title: "Next", weight: 7 },
    { title: "Port", weight: 7 },
  ]);
});

test.each([
  ["a column that must be named", "ALTER TABLE task ADD COLUMN n INTEGER NOT NULL DEFAULT 1", null],
  ["a unique index of another's", "CREATE UNIQUE INDEX task_title ON task (title)", "ledger_foreign"],
  [
    "a trigger of another's",
    "CREATE TRIGGER task_x BEFORE UPDATE ON task BEGIN SELECT 1; END",
    "ledger_foreign",
  ],
  ["a table that is gone", "DROP TABLE processed", "ledger_damaged"],
  ["an index that is gone", "DROP INDEX attempt_one_holder", "ledger_damaged"],
])("a ledger with %s is opened only if that can do no harm", (_, sql, code) => {
  const ledger = ledgerOf();
  ledger.tamper(sql);
  const before = ledger.bytes();
  expect(refusalOf(() => open(ledger))?.code ?? null).toBe(code);
  if (code !== null) expect(ledger.bytes()).toEqual(before);
});
