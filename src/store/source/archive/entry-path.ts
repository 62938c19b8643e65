/**
 * What a path in an archive must look like: relative, "/"-separated, every part a plain name that
 * means the same on every system.
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
  if (BACKSLASH_OR_DRIVE.test(target)) return { kind: "leaving-link", detail: target };
  if (CONTROL.test(target)) return { kind: "name-not-portable", detail: "a control character in the target" };
  return null;
}

// A drive letter anywhere: "C:../x" is relative to another folder on Windows, and a path that
// begins with it was taken for relative by several readers.
const BACKSLASH_OR_DRIVE = /\\|(^|\/)[A-Za-z]:/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f]/;

function faultOf(part: string, bounds: ArchiveBounds): PathFault | null {
  if (part === "") return { kind: "path-traversal", detail: "an empty part" };
  if (part === "." || part === "..") return { kind: "path-traversal", detail: `a part is ${part}` };
  if (BACKSLASH_OR_DRIVE.test(part)) {
    return { kind: "path-traversal", detail: "a backslash or a drive letter" };
  }
  if (Buffer.byteLength(part) > bounds.nameBytes) {
    return { kind: "too-deep", detail: `a name of more than ${bounds.nameBytes} bytes` };
  }
  const problem = nameProblem(part);
  return problem === null ? null : { kind: "name-not-portable", detail: problem };
}
