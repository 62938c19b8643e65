/**
 * One 512-byte tar header, decoded strictly: whatever two programs could understand differently
 * is malformed here.
 *
 *   0 name[100]  100 mode[8]  124 size[12]  136 mtime[12]  148 checksum[8]  156 type[1]
 *   157 linkname[100]  257 magic[8]  345 prefix[155]
 *
 * Source: POSIX.1-2017 pax, "ustar Interchange Format"; GNU tar's manual, "Basic Tar Format".
 * Numbers are octal text only: the base-256 form exists for files that are beyond our bounds, and
 * its negative and overlong values were faults in several readers. A text field holds nothing
 * behind its NUL.
 */
import { isUtf8 } from "node:buffer";

export const BLOCK_BYTES = 512;

export interface TarHeader {
  /** The type flag; `"0"` for the NUL of old archives. */
  readonly type: string;
  /** Prefix and name, joined. */
  readonly path: string;
  readonly linkname: string;
  /** False where a name was not UTF-8; the text then has U+FFFD in place of what was wrong. */
  readonly namesAreUtf8: boolean;
  readonly mode: number;
  readonly sizeBytes: number;
}

/** The header in `block`, or why it is malformed. */
export function decodeTarHeader(block: Buffer): TarHeader | { readonly malformed: string } {
  if (octal(block, 148, 8) !== checksum(block)) return { malformed: "a header's checksum is wrong" };
  const magic = block.toString("latin1", 257, 265);
  if (!MAGICS.has(magic)) return { malformed: "a header has an unknown magic" };
  const sizeBytes = octal(block, 124, 12);
  const mode = octal(block, 100, 8);
  if (sizeBytes === null) return { malformed: "a size is not octal" };
  if (mode === null) return { malformed: "a mode is not octal" };
  if (octal(block, 136, 12) === null && !isBlank(block, 136, 148)) {
    return { malformed: "a time is not octal" };
  }
  const name = text(block, 0, 100);
  const linkname = text(block, 157, 257);
  const prefix = magic === USTAR ? text(block, 345, 500) : EMPTY;
  if (name === null || linkname === null || prefix === null) {
    return { malformed: "a name has bytes behind its end" };
  }
  const path = prefix.length === 0 ? name : Buffer.concat([prefix, SLASH, name]);
  return {
    type: block[156] === 0 ? "0" : String.fromCharCode(block[156] ?? 0),
    path: path.toString("utf8"),
    linkname: linkname.toString("utf8"),
    namesAreUtf8: isUtf8(path) && isUtf8(linkname),
    mode,
    sizeBytes,
  };
}

const USTAR = "ustar\u000000";
const MAGICS: ReadonlySet<string> = new Set([USTAR, "ustar  \0", "\0\0\0\0\0\0\0\0"]);
const EMPTY = Buffer.alloc(0);
const SLASH = Buffer.from("/");

function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK_BYTES; at++) {
    if (at < 148 || at >= 156) sum += block[at] ?? 0;
  }
  return sum;
}

function octal(block: Buffer, from: number, bytes: number): number | null {
  const field = OCTAL.exec(block.toString("latin1", from, from + bytes));
  return field?.[1] === undefined ? null : Number.parseInt(field[1], 8);
}

const OCTAL = /^ *([0-7]{1,12})[ \0]*$/;

/** The bytes before the first NUL of a field, or null if anything but NUL follows it. */
function text(block: Buffer, from: number, to: number): Buffer | null {
  const end = block.indexOf(0, from);
  if (end < 0 || end >= to) return block.subarray(from, to);
  return isBlank(block, end, to) ? block.subarray(from, end) : null;
}

function isBlank(block: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (block[at] !== 0) return false;
  return true;
}
