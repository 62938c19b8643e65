/**
 * Canonical JSON: one byte sequence per value, so that a digest of it is a digest of the value.
 *
 * Keys are sorted by UTF-16 code unit, there is no white space, and the text ends in a newline
 * so that the file is a text file. This is RFC 8785 plus the newline, for the values we use:
 * objects, arrays, strings, booleans, null and safe integers. Anything else is a bug.
 */
import { invariant } from "./errors.ts";

export type CanonicalValue =
  | null
  | boolean
  | number
  | string
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue | undefined };

/** The UTF-8 bytes of `value`; keys whose value is undefined are left out. */
export function canonicalBytes(value: CanonicalValue): Buffer {
  return Buffer.from(`${canonicalText(value)}\n`, "utf8");
}

function canonicalText(value: CanonicalValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value === "number") {
    invariant(Number.isSafeInteger(value), `canonical JSON holds safe integers only, not ${value}`);
  }
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const object = value as { readonly [key: string]: CanonicalValue | undefined };
  const members = Object.keys(object)
    .sort()
    .flatMap((key) => {
      const member = object[key];
      return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalText(member)}`];
    });
  return `{${members.join(",")}}`;
}
