/**
 * Reads the headers of a tar stream strictly and says which entries it holds, before another
 * reader gets to see the same bytes.
 *
 * Most published faults of archive readers are of one kind: a checker and an extractor understand
 * the same bytes differently. So each archive is read twice at once, by this guard and by
 * node-tar's parser, and is refused where the two disagree (`read-archive.ts`). The guard takes
 * only what has one meaning: one extended header an entry, sizes that agree, no name behind a
 * name, an end mark, and nothing after it.
 */
import { isUtf8 } from "node:buffer";
import type { FindingKind } from "../finding.ts";
import type { ArchiveBounds } from "./archive-bounds.ts";
import type { ArchiveFindings } from "./archive-findings.ts";
import { type PaxRecords, parsePaxRecords } from "./pax-records.ts";
import { type AfterBlock, createTarFraming, paddedBytes } from "./tar-framing.ts";
import { BLOCK_BYTES, decodeTarHeader, type TarHeader } from "./tar-header.ts";

export interface ArchiveEntry {
  /** `refused`: of a type that no generation holds; it is in the findings already. */
  readonly kind: "file" | "link" | "folder" | "refused";
  /** As the archive has it, a folder's last "/" left out. */
  readonly path: string;
  readonly target: string;
  readonly sizeBytes: number;
  readonly executable: boolean;
}

export interface TarGuard {
  write(piece: Buffer): void;
  /** To be called after the last piece; throws if the archive is not complete. */
  end(): void;
}

interface Extension extends PaxRecords {
  readonly by: "pax" | "gnu";
}

const REFUSED_TYPES: Readonly<Record<string, FindingKind>> = {
  "1": "archive-hard-link",
  "3": "device",
  "4": "device",
  "6": "fifo",
};
const EXTENDED_TYPES = new Set(["x", "g", "L", "K"]);
const SET_ID_BITS = 0o6000;
const OWNER_EXECUTES = 0o100;

export interface TarGuardOptions {
  readonly bounds: ArchiveBounds;
  readonly findings: ArchiveFindings;
  readonly onEntry: (entry: ArchiveEntry) => void;
}

interface Guard extends TarGuardOptions {
  fileBytes: number;
  zeroBlocks: number;
  trailingBytes: number;
  lastPath: string;
  extendedType: string;
  extension: Extension | null;
}

export function createTarGuard(options: TarGuardOptions): TarGuard {
  const guard: Guard = {
    ...options,
    fileBytes: 0,
    zeroBlocks: 0,
    trailingBytes: 0,
    lastPath: "",
    extendedType: "",
    extension: null,
  };
  const framing = createTarFraming({
    onBlock: (block) => takeBlock(guard, block),
    onBody: (body) => endExtended(guard, body),
    onTrailing: (piece) => takeTrailing(guard, piece),
  });
  return {
    write: framing.write,
    end() {
      if (guard.zeroBlocks < 2) corrupt(guard, "the archive is cut off, or has no end mark");
      if (guard.extension !== null) corrupt(guard, "an extended header belongs to no entry");
      if (guard.trailingBytes % BLOCK_BYTES !== 0) corrupt(guard, "its length is no multiple of 512");
    },
  };
}

function corrupt({ findings, lastPath }: Guard, detail: string): never {
  return findings.fail("archive-corrupt", lastPath, detail);
}

function takeBlock(guard: Guard, block: Buffer): AfterBlock {
  if (isZero(block)) {
    guard.zeroBlocks += 1;
    return guard.zeroBlocks < 2 ? { next: "block" } : { next: "trailing" };
  }
  if (guard.zeroBlocks > 0) corrupt(guard, "a block of zeros stands between entries");
  const header = decodeTarHeader(block);
  if ("malformed" in header) corrupt(guard, header.malformed);
  if (!EXTENDED_TYPES.has(header.type)) return { next: "skip", bytes: takeEntry(guard, header) };
  if (header.sizeBytes === 0) corrupt(guard, "an extended header is empty");
  if (header.sizeBytes > guard.bounds.extendedBytes) {
    guard.findings.fail("too-large", guard.lastPath, `an extended header of ${header.sizeBytes} bytes`);
  }
  guard.extendedType = header.type;
  return { next: "collect", bytes: header.sizeBytes };
}

function endExtended(guard: Guard, body: Buffer): void {
  const { extendedType: type, extension } = guard;
  const by = type === "L" || type === "K" ? "gnu" : "pax";
  if (extension !== null && (by === "pax" || extension.by === "pax")) {
    corrupt(guard, "an entry has two extended headers");
  }
  if (by === "gnu") {
    const bytes = gnuName(body) ?? corrupt(guard, "a GNU long name is malformed");
    const name = bytes.toString("utf8");
    if (!isUtf8(bytes)) guard.findings.add("name-not-utf8", name);
    const key = type === "L" ? "path" : "linkpath";
    if (extension?.[key] !== undefined) corrupt(guard, "an entry has two long names");
    guard.extension = { ...extension, by, [key]: name };
    return;
  }
  const records = parsePaxRecords(body, type === "g" ? "global" : "entry");
  if ("malformed" in records) guard.findings.fail(records.kind, guard.lastPath, records.malformed);
  if (type === "x") guard.extension = { by, ...records };
}

/** Announces the entry; answers how many bytes of content and padding follow. */
function takeEntry(guard: Guard, header: TarHeader): number {
  const { bounds, findings, extension, onEntry } = guard;
  const path = extension?.path ?? header.path;
  const target = extension?.linkpath ?? header.linkname;
  guard.extension = null;
  guard.lastPath = path;
  if (path === "") corrupt(guard, "an entry has no name");
  if (extension?.sizeBytes !== undefined && extension.sizeBytes !== header.sizeBytes) {
    corrupt(guard, "a pax size differs from the header's");
  }
  if (!header.namesAreUtf8) findings.add("name-not-utf8", path);
  const kind = kindOf(guard, header, { path, target });
  if (kind !== "file" && header.sizeBytes !== 0) corrupt(guard, "an entry that is no file has content");
  if (header.sizeBytes > bounds.fileBytes) findings.fail("too-large", path, `${header.sizeBytes} bytes`);
  guard.fileBytes += header.sizeBytes;
  if (guard.fileBytes > bounds.bytes) findings.fail("too-large", path, "the sum of all files");
  onEntry({
    kind,
    path: kind === "folder" && path.endsWith("/") ? path.slice(0, -1) : path,
    target,
    sizeBytes: header.sizeBytes,
    executable: (header.mode & OWNER_EXECUTES) !== 0,
  });
  return paddedBytes(header.sizeBytes);
}

function kindOf(
  guard: Guard,
  { type, mode }: TarHeader,
  { path, target }: { readonly path: string; readonly target: string },
): ArchiveEntry["kind"] {
  const refused = REFUSED_TYPES[type];
  const isLink = type === "2" || type === "1";
  if (isLink !== (target !== "")) corrupt(guard, "an entry has a link's target and is none, or lacks it");
  if (refused !== undefined) {
    guard.findings.add(refused, path, target);
    return "refused";
  }
  if (type !== "0" && type !== "2" && type !== "5") {
    guard.findings.fail("archive-entry", path, `type ${JSON.stringify(type)}`);
  }
  if (type !== "5" && path.endsWith("/")) corrupt(guard, "a file's name ends like a folder's");
  // A folder's set-group-id bit only says who owns what is made in it; modes of folders are ours.
  if (type === "0" && (mode & SET_ID_BITS) !== 0) {
    guard.findings.add("set-id", path, `mode ${(mode & 0o7777).toString(8)}`);
  }
  return type === "0" ? "file" : type === "2" ? "link" : "folder";
}

function takeTrailing(guard: Guard, piece: Buffer): void {
  guard.trailingBytes += piece.length;
  if (!isZero(piece)) corrupt(guard, "bytes follow the end of the archive");
  if (guard.trailingBytes > guard.bounds.trailingZeroBytes) {
    guard.findings.fail("too-large", guard.lastPath, "zeros after the end");
  }
}

/** The name in GNU's long name header: NUL-terminated, nothing after it. */
function gnuName(body: Buffer): Buffer | null {
  const end = body.indexOf(0);
  if (end < 1 || !isZero(body.subarray(end))) return null;
  return body.subarray(0, end);
}

const ZEROS = Buffer.alloc(64 * 1024);

function isZero(piece: Buffer): boolean {
  for (let at = 0; at < piece.length; at += ZEROS.length) {
    const part = piece.subarray(at, at + ZEROS.length);
    if (!part.equals(ZEROS.subarray(0, part.length))) return false;
  }
  return true;
}
