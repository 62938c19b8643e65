/**
 * The owner's log: one JSON object a line, in a file that is moved aside when it has grown.
 *
 *   owner.log owner.1.log owner.2.log …   the newest first; together never more than the bound
 *
 * Whatever is logged passes through the catalogue's cleaning, so that no secret comes in by a
 * message of somebody else's.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";
import type { Clock } from "../../kernel/clock.ts";
import { CodedError, systemCode } from "../../kernel/errors.ts";

export interface Log {
  write(level: "info" | "warning" | "error", what: string, facts?: Readonly<Record<string, unknown>>): void;
  close(): void;
}

const MOST_BYTES = 1024 * 1024;
const OLDER_FILES = 4;
const MOST_LINE = 32 * 1024;
const MOST_TEXT = 8 * 1024;

export interface LogDeps {
  /** `owner.log`, absolute; its folder exists. */
  readonly path: string;
  readonly clock: Clock;
  readonly pid: number;
  /** Of one file; default 1 MiB. */
  readonly mostBytes?: number;
}

export function createLog({ path, clock, pid, mostBytes = MOST_BYTES }: LogDeps): Log {
  let file = openSync(path, "a", 0o600);
  let bytes = fstatSync(file).size;
  return {
    write(level, what, facts = {}) {
      const line = lineOf({ at: new Date(clock.now()).toISOString(), level, pid, what, ...facts });
      try {
        if (bytes + line.length > mostBytes && bytes > 0) {
          file = begunAnew(path, file);
          bytes = fstatSync(file).size;
        }
        bytes += writeSync(file, line);
      } catch (error) {
        // A log that cannot be written must not end the owner; the ledger says itself if its disk is full.
        if (systemCode(error) === null) throw error;
      }
    },
    close: () => closeSync(file),
  };
}

/** The descriptor of the file that takes the next line; the old lines are lost where they cannot be moved aside. */
function begunAnew(path: string, file: number): number {
  try {
    rotate(path);
    // Opened before the other is closed: what is written to a closed descriptor ends in whatever got its number.
    const next = openSync(path, "a", 0o600);
    closeSync(file);
    return next;
  } catch (error) {
    if (systemCode(error) === null) throw error;
    ftruncateSync(file, 0);
    return file;
  }
}

function rotate(path: string): void {
  const numbered = (number: number) => (number === 0 ? path : path.replace(/\.log$/, `.${number}.log`));
  for (let number = OLDER_FILES; number > 0; number -= 1) {
    try {
      renameSync(numbered(number - 1), numbered(number));
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
}

function lineOf(entry: Readonly<Record<string, unknown>>): Buffer {
  const cleaned = new CodedError("internal", "", { fields: bounded(entry) }).fields;
  const text = JSON.stringify(cleaned);
  // Texts are bounded one by one; many of them are left out as a whole, so that a line stays JSON.
  const { at, level, pid, what } = cleaned;
  return Buffer.from(
    `${text.length <= MOST_LINE ? text : JSON.stringify({ at, level, pid, what })}\n`,
    "utf8",
  );
}

function bounded(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [
      key,
      typeof value === "string" && value.length > MOST_TEXT ? `${value.slice(0, MOST_TEXT)}…` : value,
    ]),
  );
}
