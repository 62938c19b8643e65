/**
 * Any answer of the ledger for people: its facts under each other, lists of things as tables. What
 * has no text of its own is shown so, in the words of its keys.
 */
import { secondText } from "./quantities.ts";
import type { Style } from "./style.ts";
import { facts, table } from "./table.ts";

type Members = Readonly<Record<string, unknown>>;

/** Ends without a newline. */
export function valueText(value: unknown, style: Style): string {
  if (Array.isArray(value)) return listText(value, style);
  if (!isMembers(value)) return cellText(value);
  const lists = Object.entries(value).filter(([, member]) => isTable(member));
  const pairs = Object.entries(value)
    .filter(([, member]) => !isTable(member))
    .flatMap(([name, member]) => factsOf(name, member));
  return [
    ...(pairs.length === 0 ? [] : [facts(pairs, style)]),
    ...lists.map(([name, member]) => `${style.bold(words(name))}\n${listText(member as unknown[], style)}`),
  ].join("\n\n");
}

/** A table with a column for each key that any of the rows has. */
function listText(rows: readonly unknown[], style: Style): string {
  if (rows.length === 0) return "none";
  if (!rows.every(isMembers)) return rows.map(cellText).join(", ");
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row as Members)))];
  return table(
    rows as readonly Members[],
    keys.map((key) => ({
      title: words(key).toUpperCase(),
      align: rows.every((row) => typeof (row as Members)[key] === "number") ? "right" : "left",
      value: (row: Members) => cellText(row[key]),
    })),
    style,
  );
}

function factsOf(name: string, value: unknown): (readonly [string, string])[] {
  if (!isMembers(value) || Object.keys(value).length === 0) return [[words(name), cellText(value)]];
  return Object.entries(value).map(([inner, member]) => [`${words(name)} ${words(inner)}`, cellText(member)]);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** One value on one line. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return INSTANT.test(value) ? secondText(value) : value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((member) => !isMembers(member))) {
    return value.length === 0 ? "-" : value.map(cellText).join(", ");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** `leaseUntil` → `lease until`. */
export function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && value.some(isMembers);
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
