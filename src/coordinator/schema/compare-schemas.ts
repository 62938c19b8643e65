/**
 * What a ledger's schema lacks of the declared one, and where the two contradict each other.
 *
 * A ledger may hold more than we declare, since a newer program of the same major may have added
 * it, as long as what we write still passes: tables of its own, columns that may be left out,
 * indexes that refuse nothing.
 */
import type { Schema, TableSchema } from "./read-schema.ts";

/** SQL statements, in order, that bring in what is missing; all of them only add. */
export function missingFrom(actual: Schema, declared: Schema): string[] {
  const additions: string[] = [];
  for (const [name, table] of declared.tables) {
    const found = actual.tables.get(name);
    if (found === undefined) additions.push(table.sql);
    else additions.push(...missingColumns(name, found, table));
  }
  for (const [name, { sql }] of declared.attachments) {
    if (!actual.attachments.has(name)) additions.push(sql);
  }
  return additions;
}

function missingColumns(name: string, found: TableSchema, declared: TableSchema): string[] {
  return [...declared.columns]
    .filter(([column]) => !found.columns.has(column))
    .map(([, tokens]) => `ALTER TABLE ${name} ADD COLUMN ${tokens.join(" ")}`);
}

/** Sentences; empty if what is there agrees with what is declared. What is missing is not told. */
export function contradictions(actual: Schema, declared: Schema): string[] {
  const tables = [...declared.tables].flatMap(([name, table]) => {
    const found = actual.tables.get(name);
    return found === undefined ? [] : tableContradictions(name, found, table);
  });
  const attachments = [...actual.attachments].flatMap(([name, { text, table, canRefuse }]) => {
    const wanted = declared.attachments.get(name);
    if (wanted === undefined)
      return canRefuse && declared.tables.has(table) ? [`${name} of table ${table} is unknown`] : [];
    return wanted.text === text ? [] : [`${name} is declared otherwise`];
  });
  return [...tables, ...attachments];
}

function tableContradictions(name: string, found: TableSchema, declared: TableSchema): string[] {
  const columns = [...found.columns].flatMap(([column, tokens]) => {
    const wanted = declared.columns.get(column);
    if (wanted === undefined) return mayBeLeftOut(tokens) ? [] : [`${name}.${column} is unknown and needed`];
    return wanted.join(" ") === tokens.join(" ") ? [] : [`${name}.${column} is declared otherwise`];
  });
  const constraints = [
    ...[...declared.constraints.keys()]
      .filter((one) => !found.constraints.has(one))
      .map((one) => `lacks ${one}`),
    ...[...found.constraints.keys()]
      .filter((one) => !declared.constraints.has(one))
      .map((one) => `has ${one}`),
  ];
  return [
    ...columns,
    ...constraints.map((difference) => `${name} ${difference}`),
    ...(found.options === declared.options ? [] : [`${name} is a table of another kind`]),
  ];
}

/** Whether a row can be written without naming the column. */
function mayBeLeftOut(tokens: readonly string[]): boolean {
  if (tokens.includes("unique") || tokens.includes("primary")) return false;
  const isNeeded = tokens.some((token, index) => token === "not" && tokens[index + 1] === "null");
  return !isNeeded || tokens.includes("default");
}
