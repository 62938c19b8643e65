/** A source, resolved into all that a generation of it will hold. */
import type { GenerationFile } from "./generation-file.ts";
import type { PlannedTree } from "./planned-entry.ts";

export interface AssembledRuntime extends PlannedTree {
  readonly name: string;
  /** Stands in `entries` already, as `generation.json`. */
  readonly generationFile: GenerationFile;
  /** Absolute paths that no file's content may hold (`own-path`); empty when that is accepted. */
  readonly ownPaths: readonly string[];
  /** What people want to know and no id depends on; kept in the index. */
  readonly provenance: Provenance;
  /** Called once all entries are in the store, with their digests, so that a build can be remembered. */
  readonly remember: ((digests: ReadonlyMap<string, { digest: string; size: number }>) => void) | null;
}

export interface Provenance {
  readonly source: string;
  readonly commit: string | null;
  readonly dirty: boolean | null;
}
