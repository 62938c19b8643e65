/**
 * Collects what is wrong with one archive. What concerns one entry is added and reading goes on,
 * so that all of it is reported at once; what concerns the form of the archive ends the reading,
 * since nothing after it can be believed.
 */
import { type Finding, type FindingKind, finding, sourceRefused } from "../finding.ts";

export interface ArchiveFindings {
  add(kind: FindingKind, path: string, detail?: string): void;
  /** Throws `source_refused` with this finding and all before it. */
  fail(kind: FindingKind, path: string, detail?: string): never;
  /** Throws `source_refused` if anything was found. */
  throwIfAny(): void;
  readonly any: boolean;
}

// An archive of nothing but faults must not fill the memory with their descriptions.
const MOST = 1000;
const SHOWN_CHARACTERS = 200;

export function collectFindings(archive: string): ArchiveFindings {
  const findings: Finding[] = [];
  const refuse = (): never => {
    throw sourceRefused(archive, findings);
  };
  return {
    add(kind, path, detail = "") {
      findings.push(finding(kind, shown(path), detail));
      if (findings.length >= MOST) refuse();
    },
    fail(kind, path, detail = "") {
      findings.push(finding(kind, shown(path), detail));
      return refuse();
    },
    throwIfAny() {
      if (findings.length > 0) refuse();
    },
    get any() {
      return findings.length > 0;
    },
  };
}

function shown(path: string): string {
  if (path === "") return ".";
  const escaped = JSON.stringify(path).slice(1, -1);
  return escaped.length <= SHOWN_CHARACTERS ? escaped : `${escaped.slice(0, SHOWN_CHARACTERS)}…`;
}
