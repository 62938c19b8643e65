/**
 * The fingerprint of a command: SHA-256 of the operation's name and its input, with the keys of
 * every object in one order. A retry has the same; the same id with another is a conflict.
 */
import { createHash } from "node:crypto";

/** `input` is parsed JSON, as the client sent it. */
export function fingerprintOf(operation: string, input: unknown): string {
  return createHash("sha256")
    .update(`${operation}\n${sortedText(input)}`)
    .digest("hex");
}

function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${sortedText(member)}`);
  return `{${members.join(",")}}`;
}
