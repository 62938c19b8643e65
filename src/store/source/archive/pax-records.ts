/**
 * The records of a pax extended header: `length SP key "=" value LF`, the length counting itself.
 *
 * Read by their lengths, never line by line. Keys are taken from a list: those that change what an
 * entry is (`path`, `linkpath`, `size`) and those that say what we drop anyway (times, owners,
 * attributes). Any other key could give an entry a meaning to one reader that it lacks to
 * another (`GNU.sparse.*`, `type`, `mode`, `hdrcharset`), and is refused.
 *
 * Source: POSIX.1-2017 pax, "pax Extended Header".
 */
import { isUtf8 } from "node:buffer";
import type { FindingKind } from "../finding.ts";

export interface PaxRecords {
  readonly path?: string;
  readonly linkpath?: string;
  readonly sizeBytes?: number;
}

export interface MalformedPax {
  readonly kind: FindingKind;
  readonly malformed: string;
}

/** The records in `body`, or why they are malformed. */
export function parsePaxRecords(body: Buffer, scope: "entry" | "global"): PaxRecords | MalformedPax {
  const values = new Map<string, string>();
  let at = 0;
  while (at < body.length) {
    const length = LENGTH.exec(body.toString("latin1", at, at + 8));
    if (length?.[1] === undefined) return corrupt("a pax record has no length");
    const end = at + Number(length[1]);
    const equals = body.indexOf(0x3d, at);
    if (end > body.length || equals < 0 || equals >= end || body[end - 1] !== 0x0a) {
      return corrupt("a pax record's length is wrong");
    }
    const key = body.toString("latin1", at + length[0].length, equals);
    const value = body.subarray(equals + 1, end - 1);
    at = end;
    if (values.has(key)) return corrupt(`the pax record ${escaped(key)} stands twice`);
    const refused = refusal(key, value, scope);
    if (refused !== null) return refused;
    values.set(key, value.toString("utf8"));
  }
  const path = values.get("path");
  const linkpath = values.get("linkpath");
  const size = values.get("size");
  return {
    ...(path === undefined ? {} : { path }),
    ...(linkpath === undefined ? {} : { linkpath }),
    ...(size === undefined ? {} : { sizeBytes: Number(size) }),
  };
}

const LENGTH = /^([1-9]\d{0,6}) /;
const SIZE = /^\d{1,15}$/;
const TIME = /^\d{1,11}(\.\d{1,18})?$/;
const NAMES = new Set(["path", "linkpath"]);
const TIMES = new Set(["mtime", "atime", "ctime", "LIBARCHIVE.creationtime"]);
const DROPPED = new Set(["uid", "gid", "uname", "gname", "comment"]);
const DROPPED_PREFIXES = [
  "SCHILY.dev",
  "SCHILY.ino",
  "SCHILY.nlink",
  "SCHILY.fflags",
  "SCHILY.xattr.",
  "SCHILY.acl.",
  "LIBARCHIVE.xattr.",
  "RHT.security.",
];

function refusal(key: string, value: Buffer, scope: "entry" | "global"): MalformedPax | null {
  if (scope === "global") return key === "comment" ? null : forbidden(`a global pax record ${escaped(key)}`);
  if (NAMES.has(key)) {
    if (value.length === 0) return corrupt(`the pax record ${key} is empty`);
    if (value.includes(0))
      return { kind: "name-not-portable", malformed: `the pax record ${key} holds a NUL` };
    return isUtf8(value) ? null : { kind: "name-not-utf8", malformed: `the pax record ${key}` };
  }
  if (key === "size") return SIZE.test(value.toString("latin1")) ? null : corrupt("a pax size is no number");
  if (TIMES.has(key)) {
    return TIME.test(value.toString("latin1")) ? null : corrupt(`a pax ${key} is out of range`);
  }
  if (DROPPED.has(key) || DROPPED_PREFIXES.some((prefix) => key.startsWith(prefix))) return null;
  return forbidden(`a pax record ${escaped(key)}`);
}

function corrupt(malformed: string): MalformedPax {
  return { kind: "archive-corrupt", malformed };
}

function forbidden(malformed: string): MalformedPax {
  return { kind: "archive-entry", malformed };
}

function escaped(key: string): string {
  return JSON.stringify(key.slice(0, 60));
}
