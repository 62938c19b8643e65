/**
 * What is wrong with a history of migrations: each step must be what it says it is.
 *
 * A compatible step only adds, so that owners of the same major, older ones too, still write to
 * the result: new tables, columns that may be left out, indexes that refuse nothing. Its statements
 * are looked at, and so is what they make of the schema: neither alone sees everything. Tables are
 * STRICT and their constraints have names, since a failed one is told by its name.
 */
import { contradictions, missingFrom } from "./compare-schemas.ts";
import { declaredSchema } from "./declared-schema.ts";
import type { Migration } from "./migrations.ts";
import type { Schema } from "./read-schema.ts";
import { sqlStatements } from "./sql-tokens.ts";

/** Sentences that begin with the step's number; empty if all is well. */
export function lintMigrations(migrations: readonly Migration[]): string[] {
  return migrations.flatMap((step, index) => {
    const before = migrations.slice(0, index);
    return lintStep(step, before).map((fault) => `${step.major}.${step.minor}: ${fault}`);
  });
}

function lintStep(step: Migration, before: readonly Migration[]): string[] {
  const numbers = lintNumber(step, before.at(-1));
  let after: Schema;
  try {
    after = declaredSchema([...before, step]);
  } catch (error) {
    return [...numbers, `does not run: ${error instanceof Error ? error.message : String(error)}`];
  }
  const house = lintTables(after);
  if (step.kind === "breaking") return [...numbers, ...house];
  return [...numbers, ...house, ...lintStatements(step.sql), ...lintEffect(declaredSchema(before), after)];
}

function lintNumber({ major, minor, kind }: Migration, last: Migration | undefined): string[] {
  const expected =
    kind === "breaking" ? [(last?.major ?? 0) + 1, 0] : [last?.major ?? 0, (last?.minor ?? -1) + 1];
  if (minor > 999) return ["a minor has at most three digits"];
  return major === expected[0] && minor === expected[1]
    ? []
    : [`a ${kind} step here is ${expected.join(".")}`];
}

const ADDING = [
  ["create", "table"],
  ["create", "index"],
  ["create", "unique", "index"],
  ["create", "trigger"],
];

function lintStatements(sql: string): string[] {
  return sqlStatements(sql)
    .filter((tokens) => !isAddition(tokens))
    .map((tokens) => `"${tokens.slice(0, 6).join(" ")}" does more than add`);
}

function isAddition(tokens: readonly string[]): boolean {
  if (tokens[0] === "alter") return tokens[1] === "table" && tokens[3] === "add";
  return ADDING.some((words) => words.every((word, index) => tokens[index] === word));
}

/** What older programs know must be there as before, and nothing new may refuse what they write. */
function lintEffect(before: Schema, after: Schema): string[] {
  const gone = missingFrom(after, before).map((sql) => `takes away: ${sql.split("\n", 1)[0]}`);
  const checked = [...before.tables].flatMap(([name, { columns }]) =>
    [...(after.tables.get(name)?.columns ?? [])]
      .filter(([column, tokens]) => !columns.has(column) && tokens.includes("check"))
      .map(([column]) => `${name}.${column} has a CHECK, which older programs do not know`),
  );
  return [...gone, ...contradictions(after, before), ...checked];
}

const NAMED = new Set(["check", "references", "unique", "foreign"]);

function lintTables({ tables, attachments }: Schema): string[] {
  const loose = [...tables].flatMap(([name, { options }]) =>
    options.includes("strict") ? [] : [`table ${name} is not STRICT`],
  );
  const nameless = [...tables].flatMap(([name, { columns, constraints }]) => {
    const parts = [...columns.values(), ...constraints.values()];
    return parts
      .filter(hasNameless)
      .map((part) => `table ${name} has a constraint without a name at ${part[0]}`);
  });
  const mild = [...attachments]
    .filter(([name, { text }]) => name.startsWith("trigger ") && /\braise \( (?!abort )/.test(text))
    .map(([name]) => `${name} must refuse by RAISE(ABORT), which leaves the transaction open`);
  return [...loose, ...nameless, ...mild];
}

/** Whether a check, reference or unique of it is not preceded by `constraint NAME`. */
function hasNameless(tokens: readonly string[]): boolean {
  let depth = 0;
  let isForeignKey = false;
  for (const [index, token] of tokens.entries()) {
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (depth > 0 || !NAMED.has(token)) continue;
    const isNamed = tokens[index - 2] === "constraint" || (token === "references" && isForeignKey);
    if (!isNamed) return true;
    isForeignKey = token === "foreign";
  }
  return false;
}
