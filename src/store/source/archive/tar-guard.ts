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

export function createTarGuard(options: {
  readonly bounds: ArchiveBounds;
  readonly findings: ArchiveFindings;
  readonly onEntry: (entry: ArchiveEntry) => void;
}): TarGuard {
  const { bounds, onEntry } = options;
  const findings: ArchiveFindings = options.findings;
  const block = Buffer.alloc(BLOCK_BYTES);
  let blockBytes = 0;
  let skipBytes = 0;
  let fileBytes = 0;
  let zeroBlocks = 0;
  let trailingBytes = 0;
  let lastPath = "";
  let extended: { readonly type: string; readonly body: Buffer; bytes: number } | null = null;
  let extension: Extension | null = null;

  const corrupt: (detail: string) => never = (detail) => findings.fail("archive-corrupt", lastPath, detail);

  const takeHeader = (): void => {
    if (isZero(block)) {
      zeroBlocks += 1;
      return;
    }
    if (zeroBlocks > 0) corrupt("a block of zeros stands between entries");
    const header = decodeTarHeader(block);
    if ("malformed" in header) corrupt(header.malformed);
    if (EXTENDED_TYPES.has(header.type)) beginExtended(header);
    else takeEntry(header);
  };

  const beginExtended = ({ type, sizeBytes }: TarHeader): void => {
    if (sizeBytes === 0) corrupt("an extended header is empty");
    if (sizeBytes > bounds.extendedBytes) {
      findings.fail("too-large", lastPath, `an extended header of ${sizeBytes} bytes`);
    }
    extended = { type, body: Buffer.alloc(sizeBytes), bytes: 0 };
  };

  const endExtended = (type: string, body: Buffer): void => {
    const by = type === "L" || type === "K" ? "gnu" : "pax";
    if (extension !== null && (by === "pax" || extension.by === "pax")) {
      corrupt("an entry has two extended headers");
    }
    if (by === "gnu") {
      const bytes = gnuName(body) ?? corrupt("a GNU long name is malformed");
      const name = bytes.toString("utf8");
      if (!isUtf8(bytes)) findings.add("name-not-utf8", name);
      const key = type === "L" ? "path" : "linkpath";
      if (extension?.[key] !== undefined) corrupt("an entry has two long names");
      extension = { ...extension, by, [key]: name };
      return;
    }
    const records = parsePaxRecords(body, type === "g" ? "global" : "entry");
    if ("malformed" in records) findings.fail(records.kind, lastPath, records.malformed);
    if (type === "x") extension = { by, ...records };
  };

  const takeEntry = (header: TarHeader): void => {
    const path = extension?.path ?? header.path;
    const target = extension?.linkpath ?? header.linkname;
    const paxSizeBytes = extension?.sizeBytes;
    extension = null;
    lastPath = path;
    if (path === "") corrupt("an entry has no name");
    if (paxSizeBytes !== undefined && paxSizeBytes !== header.sizeBytes) {
      corrupt("a pax size differs from the header's");
    }
    if (!header.namesAreUtf8) findings.add("name-not-utf8", path);
    const kind = kindOf(header, path, target);
    if (kind !== "file" && header.sizeBytes !== 0) corrupt("an entry that is no file has content");
    if (header.sizeBytes > bounds.fileBytes) findings.fail("too-large", path, `${header.sizeBytes} bytes`);
    fileBytes += header.sizeBytes;
    if (fileBytes > bounds.bytes) findings.fail("too-large", path, "the sum of all files");
    skipBytes = Math.ceil(header.sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
    onEntry({
      kind,
      path: kind === "folder" && path.endsWith("/") ? path.slice(0, -1) : path,
      target,
      sizeBytes: header.sizeBytes,
      executable: (header.mode & OWNER_EXECUTES) !== 0,
    });
  };

  const kindOf = (header: TarHeader, path: string, target: string): ArchiveEntry["kind"] => {
    const { type, mode } = header;
    const refused = REFUSED_TYPES[type];
    const isLink = type === "2" || type === "1";
    if (isLink !== (target !== "")) corrupt("an entry has a link's target and is none, or lacks it");
    if (refused !== undefined) {
      findings.add(refused, path, target);
      return "refused";
    }
    if (type !== "0" && type !== "2" && type !== "5") {
      findings.fail("archive-entry", path, `type ${JSON.stringify(type)}`);
    }
    if (type !== "5" && path.endsWith("/")) corrupt("a file's name ends like a folder's");
    // A folder's set-group-id bit only says who owns what is made in it; modes of folders are ours.
    if (type === "0" && (mode & SET_ID_BITS) !== 0) {
      findings.add("set-id", path, `mode ${(mode & 0o7777).toString(8)}`);
    }
    return type === "0" ? "file" : type === "2" ? "link" : "folder";
  };

  const takeTrailing = (piece: Buffer): void => {
    trailingBytes += piece.length;
    if (!isZero(piece)) corrupt("bytes follow the end of the archive");
    if (trailingBytes > bounds.trailingZeroBytes) findings.fail("too-large", lastPath, "zeros after the end");
  };

  return {
    write(piece) {
      let at = 0;
      while (at < piece.length) {
        if (zeroBlocks >= 2) return takeTrailing(piece.subarray(at));
        if (extended !== null) {
          const { type, body, bytes } = extended;
          const taken = piece.copy(body, bytes, at, at + body.length - bytes);
          extended.bytes += taken;
          at += taken;
          if (extended.bytes < body.length) continue;
          extended = null;
          skipBytes = (BLOCK_BYTES - (body.length % BLOCK_BYTES)) % BLOCK_BYTES;
          endExtended(type, body);
        } else if (skipBytes > 0) {
          const taken = Math.min(skipBytes, piece.length - at);
          skipBytes -= taken;
          at += taken;
        } else {
          const taken = piece.copy(block, blockBytes, at, at + BLOCK_BYTES - blockBytes);
          blockBytes = (blockBytes + taken) % BLOCK_BYTES;
          at += taken;
          if (blockBytes === 0) takeHeader();
        }
      }
    },
    end() {
      if (zeroBlocks < 2) corrupt("the archive is cut off, or has no end mark");
      if (extension !== null) corrupt("an extended header belongs to no entry");
      if (trailingBytes % BLOCK_BYTES !== 0) corrupt("its length is no multiple of 512");
    },
  };
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
