/**
 * The forms in which members of an operation's input are typed, as flags and as words in a place.
 *
 * Only the form is looked at here; what a value means is judged once, by the owner.
 */
import type { FieldForm, FieldSpec } from "../../../operations/ledger/operation-row.ts";
import type { FlagSpec, PositionalSpec } from "../command-spec.ts";
import { parseCount, parseDuration, parseText } from "../parse-values.ts";

type Fields = Readonly<Record<string, FieldSpec>>;

/** A typed word as the member of an input that it stands for; a `json` still as it was typed. */
export const PARSE_FORM: Readonly<Record<Exclude<FieldForm, "switch">, (text: string) => unknown>> = {
  text: parseText,
  list: parseList,
  count: parseCount,
  duration: parseDuration,
  json: parseText,
};

/** The fields that are typed as words, in the order of their places. */
export function placedFields(fields: Fields): (readonly [name: string, spec: FieldSpec])[] {
  return Object.entries(fields)
    .filter(([, { position }]) => position !== undefined)
    .toSorted(([, a], [, b]) => (a.position ?? 0) - (b.position ?? 0));
}

export function positionalsOf(fields: Fields): PositionalSpec[] {
  return placedFields(fields).map(([, { placeholder, brief, required }]) => ({
    placeholder,
    brief,
    arity: required === true ? "one" : "optional",
  }));
}

export function flagsOf(fields: Fields): Record<string, FlagSpec> {
  return Object.fromEntries(flagFields(fields).map(([, flag, spec]) => [flag, flagOf(spec)]));
}

/** The fields that are typed as flags, each with its flag's name. */
export function flagFields(fields: Fields): (readonly [field: string, flag: string, spec: FieldSpec])[] {
  return Object.entries(fields)
    .filter(([, { position }]) => position === undefined)
    .map(([field, spec]) => [field, flagKey(field, spec), spec]);
}

// A time is typed with its unit, so the flag does not name one: `leaseMs` is `--lease 30s`.
function flagKey(field: string, { form }: FieldSpec): string {
  return form === "duration" ? field.replace(/Ms$/, "") : field;
}

function flagOf({ form, brief, placeholder, required }: FieldSpec): FlagSpec {
  if (form === "switch") return { kind: "switch", brief };
  return { kind: "value", brief, placeholder, required: required === true, parse: PARSE_FORM[form] };
}

function parseList(text: string): string[] {
  const words = text.split(",");
  if (words.some((word) => word.trim() === "")) {
    throw new Error("a list is words with a comma between, none of them empty");
  }
  return words.map((word) => word.trim());
}
