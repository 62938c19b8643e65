/** What both ways of assembling come to, and what both must hold. */
import type { AssembledRuntime } from "./assembled-runtime.ts";
import { checkLinks } from "./check-links.ts";
import { checkNames } from "./check-names.ts";
import { type Finding, sourceRefused } from "./finding.ts";
import { GENERATION_FILE, type GenerationFile, generationFileBytes } from "./generation-file.ts";
import type { PlannedEntry, PlannedTree } from "./planned-entry.ts";

/** A plan without what only the caller's request decides. */
export interface Assembly extends PlannedTree {
  readonly generationFile: GenerationFile;
  readonly remember: AssembledRuntime["remember"];
  readonly forget: AssembledRuntime["forget"];
  readonly release: () => Promise<void>;
}

/** Every finding of a plan, its own walk's first; throws `source_refused` where there is one. */
export function refuseFindings(
  source: string,
  findings: readonly Finding[],
  entries: readonly PlannedEntry[],
): void {
  const all = [...findings, ...checkNames(entries), ...checkLinks(entries)];
  if (all.length > 0) throw sourceRefused(source, all);
}

export function generationFileEntry(file: GenerationFile): PlannedEntry {
  return { kind: "bytes", path: GENERATION_FILE, executable: false, bytes: generationFileBytes(file) };
}
