/**
 * readArchive: the one way into a tar or gzipped tar file that others made.
 *
 *   in   the archive, and who takes the content of its files
 *   out  the name of its one top folder, its links and its folders; or `source_refused` with all
 *        that is wrong
 *
 * Every piece goes through our guard first and then through node-tar's parser, which hands out the
 * content. Entry by entry both must have seen the same type, name, target and size; where they
 * differ, the archive is one that other programs understand differently, and is refused.
 * After the first finding nothing is handed out any more, but reading goes on to name the rest.
 * node-tar's extraction is never used: it decides about paths while it writes.
 */
import { Parser, type ReadEntry } from "tar";
import { ARCHIVE_BOUNDS, type ArchiveBounds } from "./archive-bounds.ts";
import { type ArchiveFile, archiveBytes } from "./archive-bytes.ts";
import { type ArchiveFindings, collectFindings } from "./archive-findings.ts";
import { createArchiveTree } from "./archive-tree.ts";
import { type ArchiveEntry, createTarGuard } from "./tar-guard.ts";

export interface ArchivedFile {
  /** Below the archive's top folder. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly executable: boolean;
}

/** Takes one file's content; `end` is called after exactly `sizeBytes`. */
export interface ContentSink {
  write(piece: Buffer): void;
  end(): void;
}

export interface ReadArchiveRequest {
  readonly fs: ArchiveFile["fs"];
  /** Absolute path. */
  readonly archive: string;
  readonly bounds?: ArchiveBounds;
  readonly onFile: (file: ArchivedFile) => ContentSink;
}

/** All paths are below the archive's top folder. */
export interface ArchiveContents {
  readonly root: string;
  readonly links: ReadonlyMap<string, string>;
  /** Folders that have an entry of their own. */
  readonly folders: readonly string[];
}

interface Announced {
  readonly entry: ArchiveEntry;
  readonly path: string | null;
}

/** Throws `source_refused`, `not_found`, `invalid_input`. */
export async function readArchive(request: ReadArchiveRequest): Promise<ArchiveContents> {
  const { fs, archive, onFile, bounds = ARCHIVE_BOUNDS } = request;
  const findings: ArchiveFindings = collectFindings(archive);
  const tree = createArchiveTree(bounds, findings);
  const folders: string[] = [];
  const announced: Announced[] = [];
  const guard = createTarGuard({
    bounds,
    findings,
    onEntry(entry) {
      const path = tree.add(entry);
      if (entry.kind === "folder" && path !== null && path !== "") folders.push(path);
      announced.push({ entry, path });
    },
  });
  const parser = createParser(findings, (seen) => {
    const expected = announced.shift();
    if (expected === undefined || !sameEntry(expected.entry, seen)) {
      findings.fail("archive-corrupt", String(seen.path), "two readers see two different entries");
    }
    const { entry, path } = expected;
    const isTaken = entry.kind === "file" && path !== null && !findings.any;
    const { sizeBytes, executable } = entry;
    takeContent(seen, entry, findings, isTaken ? onFile({ path, sizeBytes, executable }) : null);
  });
  for await (const piece of archiveBytes({ fs, archive, bounds, findings })) {
    guard.write(piece);
    parser.write(piece);
  }
  guard.end();
  parser.end();
  if (announced.length > 0) findings.fail("archive-corrupt", "", "two readers see two different ends");
  const { root, links } = tree.end();
  findings.throwIfAny();
  return { root, links, folders };
}

/**
 * A parser of plain tar that stops at the first thing it doubts. It calls back synchronously, inside
 * `write`, so what a callback throws ends the reading and no piece waits in memory.
 */
function createParser(findings: ArchiveFindings, onEntry: (entry: ReadEntry) => void): Parser {
  const parser = new Parser({ strict: true, brotli: false, zstd: false });
  parser.on("entry", onEntry);
  parser.on("ignoredEntry", (entry: ReadEntry) => {
    findings.fail("archive-corrupt", String(entry.path), "one of two readers passes over an entry");
  });
  parser.on("error", (error: Error) => {
    findings.fail("archive-corrupt", "", error.message);
  });
  return parser;
}

function takeContent(
  seen: ReadEntry,
  entry: ArchiveEntry,
  findings: ArchiveFindings,
  sink: ContentSink | null,
): void {
  let bytes = 0;
  seen.on("data", (piece: Buffer) => {
    bytes += piece.length;
    sink?.write(piece);
  });
  seen.on("end", () => {
    if (bytes !== entry.sizeBytes) findings.fail("archive-corrupt", entry.path, "its content is cut off");
    sink?.end();
  });
}

const TYPES: Readonly<Record<ArchiveEntry["kind"], ReadonlySet<string>>> = {
  file: new Set(["File", "OldFile"]),
  folder: new Set(["Directory"]),
  link: new Set(["SymbolicLink"]),
  refused: new Set(["Link", "CharacterDevice", "BlockDevice", "FIFO"]),
};

function sameEntry(entry: ArchiveEntry, seen: ReadEntry): boolean {
  const path = entry.kind === "folder" && seen.path.endsWith("/") ? seen.path.slice(0, -1) : seen.path;
  return (
    TYPES[entry.kind].has(seen.type) &&
    path === entry.path &&
    (seen.linkpath ?? "") === entry.target &&
    seen.size === entry.sizeBytes
  );
}
