/**
 * Findings: why a source cannot become a generation. All of a source's findings are reported at
 * once, each with what to do, before anything is written.
 */
import { CodedError } from "../../kernel/errors.ts";

export const FINDINGS = {
  "absolute-link": "make the link relative, or leave it out with the recipe's exclude",
  "leaving-link": "point the link inside the runtime, or leave it out with the recipe's exclude",
  "link-loop": "remove the link that leads back to itself",
  socket: "remove the socket, or leave it out with the recipe's exclude",
  fifo: "remove the fifo, or leave it out with the recipe's exclude",
  device: "remove the device file, or leave it out with the recipe's exclude",
  "set-id": "clear the bits with chmod a-s",
  "name-not-utf8": "rename it to valid UTF-8",
  "name-not-portable": "rename it without a backslash, a control character or a reserved name",
  "name-collision": "rename one of the two, so that they differ on every file system",
  "path-collision": "let only one part of the recipe provide this path",
  "holds-store": "leave it out with the recipe's exclude, or keep the store elsewhere (SWARM_GEN_HOME)",
  unreadable: "make it readable for the user that stages",
  "own-path": "rebuild it so that it holds no absolute path of its own folder",
  changed: "stage again while nothing writes to the source",
  "too-many-entries": "split the source; the bound is on the whole tree",
  "too-large": "split the source; the bound is on the whole tree",
  "too-deep": "flatten the tree; the bound is on nested folders and the length of a path",
  "path-traversal": "make the archive anew from a clean folder; nothing of it was written",
  "archive-hard-link": "make the archive anew without hard links (GNU tar: --hard-dereference)",
  "archive-duplicate": "make the archive anew so that every path stands in it once",
  "archive-below": "make the archive anew; it places an entry below a file or a link",
  "archive-root": "make the archive anew with one top folder that holds everything",
  "archive-ratio": "unpack it by hand and look at it before staging the folder",
  "archive-entry": "make the archive anew; it holds an entry of an unknown or forbidden type",
  "archive-corrupt": "fetch or make the archive anew",
} as const;

export type FindingKind = keyof typeof FINDINGS;

export interface Finding {
  readonly kind: FindingKind;
  /** Relative to the source; malformed names are escaped. */
  readonly path: string;
  /** What was seen, where the kind alone does not say it. */
  readonly detail: string;
  readonly todo: string;
}

export function finding(kind: FindingKind, path: string, detail = ""): Finding {
  return { kind, path, detail, todo: FINDINGS[kind] };
}

const SHOWN = 10;

/** The refusal of a source: names up to ten findings, and carries all of them. */
export function sourceRefused(source: string, findings: readonly Finding[]): CodedError {
  const lines = findings
    .slice(0, SHOWN)
    .map(
      ({ kind, path, detail, todo }) => `  ${kind}: ${path}${detail === "" ? "" : ` (${detail})`}: ${todo}`,
    );
  const more = findings.length > SHOWN ? `\n  and ${findings.length - SHOWN} more (--json lists all)` : "";
  return new CodedError(
    "source_refused",
    `${source} cannot become a generation:\n${lines.join("\n")}${more}`,
    {
      fields: { source, findings, changed: false },
    },
  );
}
