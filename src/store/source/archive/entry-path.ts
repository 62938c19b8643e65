/**
 * What a path in an archive must look like: relative, "/"-separated, every part a plain name that
 * means the same on every system. What a folder may hold is accepted here too: an export must
 * never be refused by the import.
 */

import { nameProblem } from "../entry-name.ts";
import type { FindingKind } from "../finding.ts";
import type { ArchiveBounds } from "./archive-bounds.ts";

export interface PathFault {
  readonly kind: FindingKind;
  readonly detail: string;
}

/** The parts of `path`, or why it is refused. */
export function splitEntryPath(path: string, bounds: ArchiveBounds): readonly string[] | PathFault {
  if (path.startsWith("/")) return { kind: "path-traversal", detail: "absolute" };
  if (DRIVE.test(path)) return { kind: "path-traversal", detail: "a drive letter" };
  // Counted before anything is split: a path may be as long as an extended header.
  if (Buffer.byteLength(path) > bounds.pathBytes + bounds.nameBytes) {
    return { kind: "too-deep", detail: "the path is too long" };
  }
  const parts = path.split("/");
  for (const part of parts) {
    const fault = faultOf(part, bounds);
    if (fault !== null) return fault;
  }
  if (parts.length > bounds.depth + 1) return { kind: "too-deep", detail: `${parts.length} parts` };
  return parts;
}

/** Why `target` is refused, whatever it leads to; null if it may be resolved inside the tree. */
export function linkTargetFault(target: string, bounds: ArchiveBounds): PathFault | null {
  if (target.startsWith("/")) return { kind: "absolute-link", detail: target };
  if (Buffer.byteLength(target) > bounds.pathBytes) {
    return { kind: "too-deep", detail: "the target is too long" };
  }
  return null;
}

// "C:../x" begins in another folder on Windows, and was taken for relative by several readers.
const DRIVE = /^[A-Za-z]:/;

function faultOf(part: string, bounds: ArchiveBounds): PathFault | null {
  if (part === "") return { kind: "path-traversal", detail: "an empty part" };
  if (part === "." || part === "..") return { kind: "path-traversal", detail: `a part is ${part}` };
  if (part.includes("\\")) return { kind: "path-traversal", detail: "a backslash" };
  if (Buffer.byteLength(part) > bounds.nameBytes) {
    return { kind: "too-deep", detail: `a name of more than ${bounds.nameBytes} bytes` };
  }
  const problem = nameProblem(part);
  return problem === null ? null : { kind: "name-not-portable", detail: problem };
}
