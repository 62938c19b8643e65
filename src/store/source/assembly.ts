/** What both ways of assembling come to, and what both must hold. */
import { relative } from "node:path";
import type { AssembledRuntime } from "./assembled-runtime.ts";
import { checkLinks } from "./check-links.ts";
import { checkNames } from "./check-names.ts";
import type { SourcesDeps } from "./create-sources.ts";
import { type Finding, finding, sourceRefused } from "./finding.ts";
import { GENERATION_FILE, type GenerationFile, generationFileBytes } from "./generation-file.ts";
import { addEntry, type Plan, walkedFolders } from "./plan.ts";

/** A plan without what only the caller's request decides. */
export interface Assembly {
  readonly plan: Plan;
  readonly generationFile: GenerationFile;
  readonly remember: AssembledRuntime["remember"];
  readonly forget: AssembledRuntime["forget"];
  readonly release: () => Promise<void>;
}

/** Every finding of a plan, its own walk's first; throws `source_refused` where there is one. */
export function refuseFindings(source: string, findings: readonly Finding[], plan: Plan): void {
  const all = [...findings, ...checkNames(plan.tree), ...checkLinks(plan)];
  if (all.length > 0) throw sourceRefused(source, all);
}

/**
 * A store inside its own source would grow by what it takes from itself, and change while it is
 * read. Copies of generations, whose folder is in the store, are no such source.
 */
export function refuseStoreWithin({ fs, layout }: SourcesDeps, source: string, plan: Plan): void {
  const store = fs.lstatSync(layout.root, { throwIfNoEntry: false }) && fs.realpathSync(layout.root);
  if (store === undefined || !store.startsWith(source === "/" ? "/" : `${source}/`)) return;
  for (const folder of walkedFolders(plan)) {
    if (folder !== store && !folder.startsWith(`${store}/`)) continue;
    const detail = "the store that it would go to";
    throw sourceRefused(source, [finding("holds-store", relative(source, store), detail)]);
  }
}

export function addGenerationFile(plan: Plan, file: GenerationFile): void {
  addEntry(plan, {
    kind: "bytes",
    path: GENERATION_FILE,
    executable: false,
    bytes: generationFileBytes(file),
  });
}
