/** A source, resolved into all that a generation of it will hold. */
import type { ListingLeaf } from "../identity/listing.ts";
import type { GenerationFile } from "./generation-file.ts";
import type { Plan } from "./plan.ts";

export interface AssembledRuntime {
  readonly plan: Plan;
  readonly name: string;
  /** Stands in the plan already, as `generation.json`. */
  readonly generationFile: GenerationFile;
  /** Absolute paths that no file's content may hold (`own-path`); empty when that is accepted. */
  readonly ownPaths: readonly string[];
  /** What people want to know and no id depends on; kept in the index. */
  readonly provenance: Provenance;
  /** Called once all of the plan is in the store, with what it became, so that a build can be remembered. */
  readonly remember: ((leaves: Iterable<ListingLeaf>) => void) | null;
  /** Called when a blob of a remembered build is gone, so that the next attempt builds again. */
  readonly forget: (() => void) | null;
  /** Lets another process build the same dependencies. Called in the end, whatever came of the stage; never throws. */
  readonly release?: (() => Promise<void>) | undefined;
}

export interface Provenance {
  readonly source: string;
  readonly commit: string | null;
  readonly dirty: boolean | null;
}

export interface AssembleRequest {
  /** Absolute path of a folder. */
  readonly source: string;
  readonly recipe?: string;
  readonly bare?: boolean;
  readonly name?: string;
  readonly acceptOwnPaths?: boolean;
  /** What people should read as the source, where it was unpacked from an archive. */
  readonly provenance?: Provenance;
  /** Makes, on first call, a private empty folder in the store for a build; removed afterwards. */
  readonly scratch: () => string;
  readonly onBuild?: (line: string) => void;
  /** Ends a build that is running, and a wait for one, with `build_failed`. */
  readonly signal?: AbortSignal;
}

/** What turns a folder into an assembled runtime; made by `createSources`. */
export interface Sources {
  /** `source_refused`, `recipe_invalid`, `build_failed`, `invalid_input`. */
  assemble(request: AssembleRequest): Promise<AssembledRuntime>;
}
