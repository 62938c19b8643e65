/**
 * One record of a listing, read where it stands: positions in the listing's bytes, so that whoever
 * compares a tree with its listing makes no text of what agrees. The grammar is listing.ts's.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Digest } from "./object-id.ts";

export interface ListingRecord {
  readonly kind: "file" | "link" | "folder";
  readonly executable: boolean;
  /** Where it begins, with its mode. */
  readonly at: number;
  /** A file's or target's size, or how much of the listing lies below a folder; in bytes. */
  readonly number: number;
  readonly pathAt: number;
  /** Of the NUL behind the path. */
  readonly pathEnd: number;
  /** Of what follows the record, a link's target included; what lies below a folder is not. */
  readonly end: number;
}

/** What stands before the first record. */
export const LISTING_HEADER = "swarm-gen listing 1\n";

export function requireHeader(listing: Buffer): void {
  if (listing.toString("latin1", 0, LISTING_HEADER.length) !== LISTING_HEADER)
    throw malformedListing("its first line is unknown");
}

const MODE_DIGITS = 6;
export const DIGEST_DIGITS = 64;
const MOST_NUMBER_DIGITS = 15;
/** From a record's beginning. */
export const DIGEST_OFFSET = MODE_DIGITS + 1;
const NUMBER_OFFSET = DIGEST_OFFSET + DIGEST_DIGITS + 1;

const EXECUTABLE_MODE = 100755;
const KINDS: ReadonlyMap<number, ListingRecord["kind"]> = new Map([
  [100644, "file"],
  [EXECUTABLE_MODE, "file"],
  [120000, "link"],
  [40000, "folder"],
]);

/**
 * The records of a listing in their order, without those below each folder that `enter` declines.
 * Throws `generation_damaged` for anything malformed.
 */
export function recordsOf(
  listing: Buffer,
  enter: (folder: ListingRecord) => boolean,
): Generator<ListingRecord> {
  requireHeader(listing);
  return recordsIn(listing, { start: LISTING_HEADER.length, end: listing.length }, enter);
}

/** The same of a part of it, which begins and ends with a record. */
export function* recordsIn(
  listing: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  enter: (folder: ListingRecord) => boolean,
): Generator<ListingRecord> {
  for (let at = start; at < end; ) {
    const record = recordAt(listing, at);
    yield record;
    at = record.kind === "folder" && !enter(record) ? record.end + record.number : record.end;
  }
}

/** The record that begins at `at`. Throws `generation_damaged` where none does. */
export function recordAt(listing: Uint8Array, at: number): ListingRecord {
  const mode = decimal(listing, at, at + MODE_DIGITS);
  const kind = KINDS.get(mode);
  const numberEnd = endOfNumber(listing, at + NUMBER_OFFSET);
  if (
    kind === undefined ||
    listing[at + MODE_DIGITS] !== SPACE ||
    !isDigest(listing, at + DIGEST_OFFSET) ||
    listing[at + NUMBER_OFFSET - 1] !== SPACE ||
    listing[numberEnd] !== TAB
  )
    throw malformedListing(`the record at byte ${at} is unknown`);
  const pathAt = numberEnd + 1;
  const pathEnd = endOfText(listing, pathAt);
  const end = (kind === "link" ? endOfText(listing, pathEnd + 1) : pathEnd) + 1;
  const number = decimal(listing, at + NUMBER_OFFSET, numberEnd);
  return { kind, executable: mode === EXECUTABLE_MODE, at, number, pathAt, pathEnd, end };
}

export function digestIn(listing: Buffer, { at }: ListingRecord): Digest {
  return listing.toString("latin1", at + DIGEST_OFFSET, at + DIGEST_OFFSET + DIGEST_DIGITS);
}

export function pathIn(listing: Buffer, { pathAt, pathEnd }: ListingRecord): string {
  return listing.toString("utf8", pathAt, pathEnd);
}

export function targetIn(listing: Buffer, { pathEnd, end }: ListingRecord): string {
  return listing.toString("utf8", pathEnd + 1, end - 1);
}

const [SPACE, TAB, ZERO] = [0x20, 0x09, 0x30];

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte < ZERO + 10;

/** -1 where something else than digits stands there. */
function decimal(listing: Uint8Array, from: number, end: number): number {
  let number = 0;
  for (let at = from; at < end; at += 1) {
    if (!isDigit(listing[at])) return -1;
    number = number * 10 + ((listing[at] as number) - ZERO);
  }
  return number;
}

/** Where the digits of a number end; where it begins if it is none, or not in its shortest form. */
function endOfNumber(listing: Uint8Array, from: number): number {
  let end = from;
  while (end - from < MOST_NUMBER_DIGITS && isDigit(listing[end])) end += 1;
  return listing[from] === ZERO && end > from + 1 ? from : end;
}

/** Value of a lower-case hex digit; 16 of any other byte. */
const HEX_VALUE = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(byte));
  return value < 0 ? 16 : value;
});

export function hexValue(byte: number | undefined): number {
  return HEX_VALUE[byte ?? 0] as number;
}

function isDigest(listing: Uint8Array, from: number): boolean {
  let seen = 0;
  for (let at = from; at < from + DIGEST_DIGITS; at += 1) seen |= hexValue(listing[at]);
  return seen < 16;
}

function endOfText(listing: Uint8Array, from: number): number {
  let end = from;
  while (end < listing.length && listing[end] !== 0) end += 1;
  if (end === listing.length) throw malformedListing("it ends inside a record");
  return end;
}

export function malformedListing(why: string): CodedError {
  return new CodedError("generation_damaged", `A generation's listing is malformed: ${why}.`, {
    hint: "swarm-gen repair ID --from SOURCE writes it anew from a good copy.",
  });
}
