/**
 * The plain tar bytes of an archive file, which is tar or gzip by its first bytes; in pieces, with
 * flat memory.
 *
 * A gzip file is one member and nothing else. Its frame is read here, and only the compressed data
 * is left to zlib: zlib's own gunzip goes on with a second member, and passes over what
 * follows the last, so that two readers could see two archives in one file.
 *
 * Source: RFC 1952 (gzip), RFC 1951 (deflate).
 */
import { constants } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { CodedError, systemCode } from "../../../kernel/errors.ts";
import type { FileSystem } from "../../file-system.ts";
import { statKey } from "../stat-key.ts";
import type { ArchiveBounds } from "./archive-bounds.ts";
import type { ArchiveFindings } from "./archive-findings.ts";

export interface ArchiveFile {
  readonly fs: Pick<FileSystem, "closeSync" | "fstatSync" | "openSync" | "readSync">;
  /** Absolute path. */
  readonly archive: string;
  readonly bounds: ArchiveBounds;
  readonly findings: ArchiveFindings;
}

interface OpenArchive extends ArchiveFile {
  readonly descriptor: number;
  readonly sizeBytes: number;
}

const PIECE_BYTES = 256 * 1024;

/** Throws `not_found`, `invalid_input`, and `source_refused` with what makes it no archive of ours. */
export async function* archiveBytes(file: ArchiveFile): AsyncGenerator<Buffer> {
  const { fs, archive, findings } = file;
  const descriptor = open(file);
  try {
    const before = fs.fstatSync(descriptor, { bigint: true });
    if (!before.isFile()) throw new CodedError("invalid_input", `${archive} is not a file.`);
    const opened = { ...file, descriptor, sizeBytes: Number(before.size) };
    const head = readAt(opened, 0, HEAD_BYTES);
    if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzipped(opened, head);
    else {
      const other = OTHER_FORMATS.find(([magic]) => head.toString("latin1", 0, magic.length) === magic);
      if (other !== undefined) findings.fail("archive-corrupt", "", `neither tar nor gzip, but ${other[1]}`);
      yield* piecesFrom(opened, 0);
    }
    if (statKey(fs.fstatSync(descriptor, { bigint: true })) !== statKey(before)) {
      findings.fail("changed", archive, "while it was read");
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

const HEAD_BYTES = 64 * 1024;
const OTHER_FORMATS: readonly (readonly [string, string])[] = [
  ["\x28\xb5\x2f\xfd", "zstd"],
  ["\xfd7zXZ\0", "xz"],
  ["BZh", "bzip2"],
  ["PK\x03\x04", "zip"],
];

function open({ fs, archive }: ArchiveFile): number {
  try {
    // Not blocking: opening a fifo would otherwise wait for its writer.
    return fs.openSync(archive, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    throw new CodedError("not_found", `There is no archive at ${archive}.`, { cause: error });
  }
}

function readAt({ fs, descriptor }: OpenArchive, position: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let filled = 0;
  while (filled < bytes) {
    const read = fs.readSync(descriptor, buffer, filled, bytes - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

function* piecesFrom(archive: OpenArchive, start: number): Generator<Buffer> {
  let position = start;
  for (;;) {
    const piece = readAt(archive, position, PIECE_BYTES);
    if (piece.length === 0) return;
    yield piece;
    position += piece.length;
  }
}

async function* gunzipped(archive: OpenArchive, head: Buffer): AsyncGenerator<Buffer> {
  const { bounds, findings } = archive;
  const start = gzipHeaderBytes(head) ?? findings.fail("archive-corrupt", "", "its gzip header is malformed");
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  // Fails with the read's error through `inflate`, and is left behind when that ends early.
  pipeline(Readable.from(piecesFrom(archive, start), { objectMode: true }), inflate).catch(() => {});
  let sum = 0;
  let bytes = 0;
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      sum = crc32(piece, sum);
      bytes += piece.length;
      if (bytes > bounds.ratioFromBytes && bytes > bounds.ratio * inflate.bytesWritten) {
        findings.fail("archive-ratio", "", `over ${bounds.ratio} unpacked bytes for each compressed one`);
      }
      yield piece;
    }
  } catch (error) {
    const code = systemCode(error);
    if (code?.startsWith("Z_"))
      findings.fail("archive-corrupt", "", `its compressed data is damaged (${code})`);
    throw error;
  } finally {
    inflate.destroy();
  }
  const end = start + inflate.bytesWritten;
  const trailer = readAt(archive, end, GZIP_TRAILER_BYTES);
  if (trailer.length < GZIP_TRAILER_BYTES) findings.fail("archive-corrupt", "", "its gzip data is cut off");
  if (trailer.readUInt32LE(0) !== sum || trailer.readUInt32LE(4) !== bytes % 2 ** 32) {
    findings.fail("archive-corrupt", "", "its gzip checksum is wrong");
  }
  if (end + GZIP_TRAILER_BYTES !== archive.sizeBytes) {
    findings.fail("archive-corrupt", "", "bytes follow the end of the gzip data");
  }
}

const GZIP_TRAILER_BYTES = 8;
const FLAG_HEADER_SUM = 0x02;
const FLAG_EXTRA = 0x04;
const FLAG_NAME = 0x08;
const FLAG_COMMENT = 0x10;
const FLAGS_RESERVED = 0xe0;

/** The length of the gzip header in `head`, or null where it is malformed or absurdly long. */
function gzipHeaderBytes(head: Buffer): number | null {
  const flags = head[3];
  if (head.length < 10 || head[2] !== 8 || flags === undefined || (flags & FLAGS_RESERVED) !== 0) return null;
  let at = 10;
  if ((flags & FLAG_EXTRA) !== 0) {
    if (head.length < at + 2) return null;
    at += 2 + head.readUInt16LE(at);
  }
  for (const flag of [FLAG_NAME, FLAG_COMMENT]) {
    if ((flags & flag) === 0) continue;
    const end = head.indexOf(0, at);
    if (end < 0) return null;
    at = end + 1;
  }
  if ((flags & FLAG_HEADER_SUM) !== 0) at += 2;
  return at < head.length ? at : null;
}
