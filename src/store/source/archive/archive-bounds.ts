/**
 * How much an archive may hold. Every number is checked before the memory, the disk or the time
 * that it bounds is spent, so a small file cannot ask for a large tree.
 */
import { SOURCE_BOUNDS } from "../source-bounds.ts";

export interface ArchiveBounds {
  /** Files, links and folders, those included that only stand in other paths. */
  readonly entries: number;
  /** The sum of all files; headers come on top, bounded by `entries`. */
  readonly bytes: number;
  readonly fileBytes: number;
  /** Unpacked bytes for each compressed byte; not looked at before `ratioFromBytes` are unpacked. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
  /** Parts of one path, the archive's top folder left out. */
  readonly depth: number;
  /** One path in UTF-8, the archive's top folder left out. */
  readonly pathBytes: number;
  readonly nameBytes: number;
  /** One extended header (pax, or GNU's long names). */
  readonly extendedBytes: number;
  /** Zeros after the end-of-archive mark; tar pads to whole records. */
  readonly trailingZeroBytes: number;
  /** Path parts that are walked to see where all links lead. */
  readonly linkSteps: number;
}

const MIB = 1024 * 1024;

/** What a folder may hold, an archive may hold too: every export can be imported again. */
export const ARCHIVE_BOUNDS: ArchiveBounds = {
  entries: SOURCE_BOUNDS.entries,
  bytes: SOURCE_BOUNDS.sizeBytes,
  // The most that the octal size of a header can say.
  fileBytes: 8 * 1024 * MIB - 1,
  // Real packages stay below 30; a stream of zeros reaches 1,030.
  ratio: 250,
  ratioFromBytes: 16 * MIB,
  depth: SOURCE_BOUNDS.depth + 1,
  pathBytes: SOURCE_BOUNDS.pathBytes,
  nameBytes: 255,
  extendedBytes: 64 * 1024,
  trailingZeroBytes: 2 * MIB,
  linkSteps: 5_000_000,
};
