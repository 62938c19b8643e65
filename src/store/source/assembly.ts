/** What both ways of assembling come to, and what both must hold. */
import { relative } from "node:path";
import type { AssembledRuntime } from "./assembled-runtime.ts";
import { checkLinks } from "./check-links.ts";
import { checkNames } from "./check-names.ts";
import type { SourcesDeps } from "./create-sources.ts";
import { type Finding, finding, sourceRefused } from "./finding.ts";
import { GENERATION_FILE, type GenerationFile, generationFileBytes } from "./generation-file.ts";
import type { PlannedEntry, PlannedTree, WalkedFolder } from "./planned-entry.ts";

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

/**
 * A store inside its own source would grow by what it takes from itself, and change while it is
 * read. Copies of generations, whose folder is in the store, are no such source.
 */
export function refuseStoreWithin(
  { fs, layout }: SourcesDeps,
  source: string,
  folders: readonly WalkedFolder[],
): void {
  const store = fs.lstatSync(layout.root, { throwIfNoEntry: false }) && fs.realpathSync(layout.root);
  if (store === undefined || !store.startsWith(source === "/" ? "/" : `${source}/`)) return;
  if (!folders.some(({ from }) => from === store || from.startsWith(`${store}/`))) return;
  throw sourceRefused(source, [
    finding("holds-store", relative(source, store), "the store that it would go to"),
  ]);
}

export function generationFileEntry(file: GenerationFile): PlannedEntry {
  return { kind: "bytes", path: GENERATION_FILE, executable: false, bytes: generationFileBytes(file) };
}
