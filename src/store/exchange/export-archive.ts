/**
 * Writes a generation as a tar archive whose bytes depend on the id alone.
 *
 *   <id>/                    the top folder
 *   <id>/<path>              every folder, file and link, in the listing's order
 *   two blocks of zeros
 *
 * Modes are 0755 for folders and executables and 0644 else (a reader that unpacks as it is
 * told can then remove the tree again; the store's own are read-only); links 0777; owner and group
 * 0 and without names; one fixed time. A pax header stands only before an entry whose path or
 * target does not fit, and holds nothing else.
 *
 * node-tar's `Header` and `Pax` encode the blocks: its `Pack` would walk the disk by itself,
 * and order, modes and times must come from the listing. Its version is pinned, and a literal in the
 * tests notices if another one encodes differently.
 *
 * Each file is digested while it is read and compared with the listing, so a damaged tree never
 * becomes a complete archive.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { join } from "node:path";
import { Header, Pax } from "tar";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { type ListingEntry, verifiedEntries } from "../identity/listing.ts";
import { blobHasher, type GenerationId } from "../identity/object-id.ts";
import { ARCHIVE_BOUNDS } from "../source/archive/archive-bounds.ts";

export interface ExportRequest {
  readonly fs: Pick<FileSystem, "closeSync" | "fstatSync" | "openSync" | "readSync" | "readlinkSync">;
  readonly id: GenerationId;
  /** The generation's canonical listing. */
  readonly listing: Buffer;
  /** Absolute path of the generation's tree. */
  readonly tree: string;
  /** Takes the archive piece by piece; the next one is not read before it is done. */
  readonly write: (piece: Uint8Array) => Promise<void>;
}

/** Throws `generation_damaged` where the tree or the listing is not what the id says. */
export async function exportArchive(
  request: ExportRequest,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const { id, listing, write } = request;
  const hash = createHash("sha256");
  let bytes = 0;
  for (const piece of gathered(archivePieces(request, verifiedEntries(listing, id)))) {
    hash.update(piece);
    bytes += piece.byteLength;
    await write(piece);
  }
  return { bytes, sha256: hash.digest("hex") };
}

const BLOCK_BYTES = 512;
const PIECE_BYTES = 256 * 1024;

function* archivePieces(request: ExportRequest, entries: Iterable<ListingEntry>): Generator<Buffer> {
  const { id } = request;
  yield headerOf({ path: `${id}/`, type: "Directory", mode: 0o755 });
  for (const entry of entries) {
    const path = `${id}/${entry.path}`;
    if (entry.kind === "folder") {
      yield headerOf({ path: `${path}/`, type: "Directory", mode: 0o755 });
    } else if (entry.kind === "link") {
      checkLink(request, entry);
      yield headerOf({ path, type: "SymbolicLink", mode: 0o777, target: entry.target });
    } else {
      const mode = entry.executable ? 0o755 : 0o644;
      yield headerOf({ path, type: "File", mode, sizeBytes: entry.size });
      yield* contentOf(request, entry);
      yield Buffer.alloc((BLOCK_BYTES - (entry.size % BLOCK_BYTES)) % BLOCK_BYTES);
    }
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

interface HeaderFields {
  readonly path: string;
  readonly type: "File" | "Directory" | "SymbolicLink";
  readonly mode: number;
  readonly sizeBytes?: number;
  readonly target?: string;
}

function headerOf({ path, type, mode, sizeBytes = 0, target }: HeaderFields): Buffer {
  const names = { path, ...(target === undefined ? {} : { linkpath: target }) };
  const header = new Header({
    ...names,
    type,
    mode,
    size: sizeBytes,
    uid: 0,
    gid: 0,
    mtime: new Date(FIXED_MTIME_S * 1000),
  });
  if (sizeBytes > ARCHIVE_BOUNDS.fileBytes) {
    throw new CodedError("invalid_input", `${path} has ${sizeBytes} bytes, more than a tar header can say.`);
  }
  const block = Buffer.alloc(BLOCK_BYTES);
  return header.encode(block) ? Buffer.concat([new Pax(names).encode(), block]) : block;
}

function* contentOf(
  request: ExportRequest,
  entry: Extract<ListingEntry, { kind: "file" }>,
): Generator<Buffer> {
  const { fs } = request;
  const descriptor = openFile(request, entry.path);
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile()) throw damaged(request, entry.path, "a file", "something else");
    if (stats.size !== entry.size) {
      throw damaged(request, entry.path, `${entry.size} bytes`, `${stats.size} bytes`);
    }
    const hasher = blobHasher(entry.size);
    for (let left = entry.size; left > 0; ) {
      const piece = Buffer.allocUnsafe(Math.min(left, PIECE_BYTES));
      const read = fs.readSync(descriptor, piece, 0, piece.length, null);
      if (read === 0) throw damaged(request, entry.path, `${entry.size} bytes`, `${entry.size - left} bytes`);
      left -= read;
      hasher.update(piece.subarray(0, read));
      yield piece.subarray(0, read);
    }
    const found = hasher.digest();
    if (found !== entry.digest) throw damaged(request, entry.path, entry.digest, found);
  } finally {
    fs.closeSync(descriptor);
  }
}

function openFile(request: ExportRequest, path: string): number {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return request.fs.openSync(join(request.tree, path), flags);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw damaged(request, path, "a file", "nothing");
    if (code === "ELOOP" || code === "ENXIO") throw damaged(request, path, "a file", "something else");
    throw error;
  }
}

function checkLink(request: ExportRequest, entry: Extract<ListingEntry, { kind: "link" }>): void {
  let found: string;
  try {
    found = request.fs.readlinkSync(join(request.tree, entry.path));
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EINVAL") throw error;
    found = "no link";
  }
  if (found !== entry.target) throw damaged(request, entry.path, entry.target, found);
}

function damaged({ id }: ExportRequest, path: string, expected: string, found: string): CodedError {
  const message = `Generation ${id} is damaged: ${path} should be ${expected}, and is ${found}.`;
  return new CodedError("generation_damaged", message, {
    fields: { generation: id, path, expected, found },
  });
}

/** Small pieces put together, so that a header does not cost a write of its own. */
function* gathered(pieces: Iterable<Buffer>): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
