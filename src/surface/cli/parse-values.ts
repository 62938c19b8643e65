/** The forms of flags' values. A parser's error says what was expected; the caller names the flag. */
import { isUuidV7 } from "../../kernel/uuid.ts";

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `30m`, `12h`, `7d`, `0s` → milliseconds. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d|w)$/.exec(text);
  const unit = UNITS[match?.[2] ?? ""];
  if (match === null || unit === undefined) {
    throw new Error("a duration is a whole number and a unit: 30m, 12h, 7d, 0s");
  }
  return Number(match[1]) * unit;
}

/** A whole number, 0 or more. */
export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error("a count is a whole number, 0 or more");
  return Number(text);
}

/** `@12` or `12`. */
export function parseActivationNumber(text: string): number {
  const match = /^@?(\d{1,9})$/.exec(text);
  if (match === null || Number(match[1]) === 0) throw new Error("an activation is a number such as @12");
  return Number(match[1]);
}

/** A profile's name becomes a file's name in the store. */
export function parseProfile(text: string): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)) {
    throw new Error(
      "a profile is 1 to 64 lower-case letters, digits, . _ - and begins with a letter or digit",
    );
  }
  return text;
}

/** A path or another text; only emptiness is wrong. */
export function parseText(text: string): string {
  if (text === "" || text.includes("\0")) throw new Error("a text may not be empty or hold a NUL");
  return text;
}

/** A reason or note that ends up in tables. */
export function parseReason(text: string): string {
  if (text.trim() === "" || text.length > 500) throw new Error("a reason has 1 to 500 characters");
  return text;
}

/** A full id, as the safety of an import needs. */
export function parseFullId(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error("an expected id is 64 lower-case hex digits");
  return text;
}

/** The id of a command that was, or will be, sent more than once. */
export function parseCommandId(text: string): string {
  if (!isUuidV7(text)) throw new Error("a command id is a UUID of version 7, in lower case");
  return text;
}

/** A TCP port; 0 takes a free one. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error("a port is a number from 0 to 65535");
  return Number(text);
}
