/**
 * Brings a ledger's schema up to the newest known step, each step in a transaction of its own.
 *
 * A compatible step is not run by its number but by what the ledger lacks of it: two programs that
 * gave one number to different steps then both open the result, which has both additions. What is
 * there and contradicts what we declare is refused before a byte is written. A higher minor than
 * we know stays as it is: what a newer program added, an older one does not see.
 */
import type Database from "better-sqlite3";
import { CodedError } from "../../kernel/errors.ts";
import { contradictions, missingFrom } from "./compare-schemas.ts";
import { declaredSchema } from "./declared-schema.ts";
import { APPLICATION_ID, type Migration } from "./migrations.ts";
import { readSchema, type Schema } from "./read-schema.ts";

const numberOf = ({ major, minor }: Migration): number => major * 1000 + minor;
const versionOf = (db: Database.Database) => db.pragma("user_version", { simple: true }) as number;

/** `ledger_foreign` for another history of the schema, `ledger_damaged` for one that lacks tables. */
export function refuseContradictions(db: Database.Database, migrations: readonly Migration[]): void {
  const version = versionOf(db);
  const major = Math.floor(version / 1000);
  const actual = readSchema(db);
  refuse(contradictions(actual, declaredSchema(migrations.filter((step) => step.major <= major))));
  // What the file had from the first step of its major cannot have been left out by another history.
  const base = declaredSchema(
    migrations.filter((s) => s.major < major || (s.major === major && s.minor === 0)),
  );
  const lost = missingFrom(actual, base);
  if (lost.length === 0) return;
  throw new CodedError("ledger_damaged", `The ledger lacks parts of its schema: ${firstLines(lost)}.`, {
    fields: { missing: lost.length, changed: false },
  });
}

export function migrate(db: Database.Database, migrations: readonly Migration[]): void {
  for (const [index, step] of migrations.entries()) {
    // A step that older majors took long ago declares nothing for the major that the file has.
    if (step.major < Math.floor(versionOf(db) / 1000)) continue;
    const declared = declaredSchema(migrations.slice(0, index + 1));
    if (isTaken(db, step, declared)) continue;
    db.transaction(() => takeStep(db, step, declared)).immediate();
  }
}

function isTaken(db: Database.Database, step: Migration, declared: Schema): boolean {
  if (versionOf(db) < numberOf(step)) return false;
  return step.kind === "breaking" || missingFrom(readSchema(db), declared).length === 0;
}

function takeStep(db: Database.Database, step: Migration, declared: Schema): void {
  const version = versionOf(db);
  if (step.kind === "breaking") db.exec(step.sql);
  else for (const addition of missingFrom(readSchema(db), declared)) db.exec(addition);
  const result = readSchema(db);
  refuse([...contradictions(result, declared), ...missingFrom(result, declared)]);
  db.pragma(`user_version = ${Math.max(version, numberOf(step))}`);
  db.pragma(`application_id = ${APPLICATION_ID}`);
}

function refuse(differences: readonly string[]): void {
  if (differences.length === 0) return;
  throw new CodedError(
    "ledger_foreign",
    `The ledger's schema has another history: ${firstLines(differences)}.`,
    {
      hint: "Use the swarm-gen that wrote it, or restore a backup of this one's; nothing was changed.",
      fields: { differences: differences.slice(0, MOST_TOLD), changed: false },
    },
  );
}

const MOST_TOLD = 20;

const firstLines = (texts: readonly string[]): string =>
  texts
    .slice(0, 3)
    .map((text) => text.split("\n", 1)[0])
    .join("; ");
