/**
 * The store as its users see it: every operation on generations, as typed functions.
 *
 * All paths are absolute. Every function throws `CodedError`s of the catalogue; the codes named
 * here are the ones a caller should expect beside `store_unavailable`, `disk_full`, `overloaded`,
 * `store_newer` and `state_insecure`, which any of them may throw.
 * Functions that read create nothing: on a store that does not exist they answer as if it was empty.
 */
import type { GenerationId } from "./identity/object-id.ts";
import type { AdmissionControl, LaunchPins } from "./launch-admission.ts";
import type { ScopeRecords } from "./scope-records.ts";
import type { Contract, Entrypoints, GenerationFile } from "./source/generation-file.ts";
import type { ContentOrigin } from "./stage/share-content.ts";

export interface Store {
  /** Makes a generation of a folder, an npm `.tgz`, or an archive made by `exportTo`. `source_refused`, `recipe_invalid`, `build_failed`. */
  stage(request: StageRequest): Promise<StageResult>;
  /** Publishes the generation in an archive made by `exportTo`. `source_refused`, `generation_damaged`. */
  importFrom(request: ImportRequest): Promise<StageResult>;
  /** Writes a generation's deterministic tar to `file`, or in pieces to `write`. `generation_damaged`. */
  exportTo(id: GenerationId, target: ExportTarget): Promise<ExportResult>;

  /** A full id from a unique prefix, `@12`, `@current` or `@previous`. `generation_not_found`, `ambiguous_prefix`, `invalid_input`. */
  resolve(reference: string, profile: string): GenerationId;
  /** All generations, the oldest first. */
  list(): readonly GenerationSummary[];
  /** One generation with its pins and activations. `generation_not_found`. */
  show(id: GenerationId): GenerationDetails;
  /** The tree's files with digests and sizes, from its listing. */
  files(id: GenerationId): Promise<readonly TreeFile[]>;
  /** Plain SHA-256 of every file, each checked against the listing on the way. `generation_damaged`. */
  sums(id: GenerationId): Promise<readonly { readonly path: string; readonly sha256: string }[]>;
  /** The Nix NAR SHA-256 in SRI form; computed from the tree on first demand, then recorded. */
  narHash(id: GenerationId): Promise<string>;
  /** What changed from `a` to `b`: by component, then by file. `generation_not_found`, `generation_damaged`. */
  diff(a: GenerationId, b: GenerationId): Promise<GenerationDiff>;
  /** Every reason why a generation is kept, or that there is none. `generation_not_found`. */
  why(id: GenerationId): WhyAlive;

  /** Compares generations with what their ids say; damage is the answer, not an error. `generation_not_found`. */
  verify(request: VerifyRequest): Promise<VerifyResult>;
  /** Mends a generation from blobs, from a folder or from an archive. `generation_damaged` where a good copy is missing. */
  repair(request: RepairRequest): Promise<RepairResult>;

  /** Makes `id` the current generation of a profile. Doing so again changes nothing. `admission_closed`, `generation_damaged` where its tree is gone, `invalid_input`. */
  activate(request: ActivateRequest): ActivateResult;
  /** Activates the generation that was current before the current one, or that of `number`. `not_found`. */
  rollback(request: RollbackRequest): ActivateResult;
  /** A profile's activations, the newest first; of an unknown profile none. */
  history(profile: string): readonly Activation[];

  /** A manual pin. The same id and reason again is the same pin, with the newest end. `generation_collecting`, `invalid_input`. */
  pin(request: PinRequest): Pin;
  /** Releases a manual pin by its id. `not_found`. */
  unpin(pinId: string): Pin;
  /** Keeps a generation alive as long as the calling process lives. */
  pinForProcess(id: GenerationId, reason: string): Pin;

  readonly launches: LaunchPins;
  readonly admission: AdmissionControl;
  readonly scopes: ScopeRecords;

  /** Plans a collection, and carries it out if `mode` says so. `invalid_input`. */
  collect(request: CollectRequest): Promise<CollectResult>;
  /** What the store holds and takes; sizes in bytes. */
  info(): Promise<StoreInfo>;
  /** Closes the index. Nothing may be called after it but `close` again. */
  close(): void;
}

export interface StageProgress {
  /** `remove` and `sweep` are a collection's: contents, then trees. */
  readonly step: "build" | "walk" | "digest" | "flush" | "publish" | "remove" | "sweep";
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface StageRequest {
  readonly source: string;
  /** A recipe's path; default: the source's only recipe in `generations/`. */
  readonly recipe?: string;
  /** Take the folder whole, without a recipe. */
  readonly bare?: boolean;
  readonly name?: string;
  /** Accept contents that hold the source's own absolute path. */
  readonly acceptOwnPaths?: boolean;
  /** Keeps the result alive until the store is closed, so that an activation can follow. */
  readonly hold?: boolean;
  /** Calls the stage off: its reason is thrown, and nothing of it stays. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: StageProgress) => void;
}

export interface StageResult {
  readonly generation: GenerationId;
  readonly name: string;
  /** Whether this call published it; false where the store had it already. */
  readonly new: boolean;
  readonly files: number;
  readonly bytes: number;
  /** What the store had already, by content. */
  readonly reused: { readonly files: number; readonly bytes: number };
  readonly durationMs: number;
}

export interface ImportRequest {
  readonly archive: string;
  /** The id that the archive must hold; default: the one that it claims. */
  readonly expect?: GenerationId;
  readonly hold?: boolean;
  readonly onProgress?: (progress: StageProgress) => void;
}

export type ExportTarget =
  | { readonly file: string }
  | { readonly write: (piece: Uint8Array) => Promise<void> };

export interface ExportResult {
  readonly generation: GenerationId;
  readonly bytes: number;
  readonly sha256: string;
}

export interface GenerationSummary {
  readonly generation: GenerationId;
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  /** When it was last staged: ISO 8601, UTC. */
  readonly stagedAt: string;
  readonly pins: number;
  readonly activations: number;
}

export interface GenerationDetails {
  readonly generation: GenerationId;
  readonly name: string;
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
  readonly stagedAt: string;
  readonly narHash: string | null;
  readonly contract: Contract | null;
  readonly entrypoints: Entrypoints;
  readonly interpreter: GenerationFile["interpreter"];
  readonly platform: string | null;
  readonly provenance: {
    readonly source: string;
    readonly commit: string | null;
    readonly dirty: boolean | null;
  };
  readonly importMethods: Readonly<Partial<Record<ContentOrigin, number>>>;
  readonly pins: readonly Pin[];
  readonly activations: readonly Activation[];
}

export interface TreeFile {
  readonly path: string;
  readonly kind: "file" | "link";
  readonly mode: "100644" | "100755" | "120000";
  readonly digest: string;
  readonly size: number;
}

export interface GenerationDiff {
  readonly from: GenerationId;
  readonly to: GenerationId;
  readonly components: readonly ComponentChange[];
  readonly files: readonly FileChange[];
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export type Component = "interpreter" | "dependencies" | "hooks" | "skills" | "code";

export interface ComponentChange {
  readonly component: Component;
  /** The interpreter, a package, a hook's event, …; empty for the code as a whole. */
  readonly name: string;
  readonly change: "added" | "removed" | "changed";
  readonly before: string | null;
  readonly after: string | null;
}

/** A file, a link, or a folder that is empty (mode 040000). */
export interface FileChange {
  readonly path: string;
  readonly component: Component;
  readonly change: "added" | "removed" | "changed";
  readonly before: { readonly mode: string; readonly digest: string; readonly size: number } | null;
  readonly after: { readonly mode: string; readonly digest: string; readonly size: number } | null;
}

export interface WhyAlive {
  readonly generation: GenerationId;
  /** `collected` where the store remembers that it once had it. */
  readonly state: "present" | "collecting" | "collected";
  readonly pins: readonly Pin[];
  /** Ids of those pins that no longer count: their time is over, or their process is gone. */
  readonly lapsed: readonly string[];
  /** Processes that run from the tree; they stop its collection even where no pin does. */
  readonly executing: readonly { readonly pid: number; readonly path: string; readonly command: string }[];
  /** Whether a collection would take it once its grace time is over: pins that lapsed do not count. */
  readonly collectable: boolean;
  readonly stagedAt: string | null;
  readonly collectedAt: string | null;
}

export interface Damage {
  readonly generation: GenerationId;
  readonly path: string;
  readonly kind:
    | "missing"
    | "extra"
    | "type"
    | "mode"
    | "content"
    | "size"
    | "target"
    | "mtime"
    | "inode"
    | "listing"
    | "unreadable";
  readonly expected: string | null;
  readonly found: string | null;
}

export interface VerifyRequest {
  /** Default: all generations. */
  readonly generations?: readonly GenerationId[];
  readonly quick?: boolean;
  readonly onProgress?: (progress: StageProgress) => void;
}

export interface VerifyResult {
  readonly ok: boolean;
  readonly checked: number;
  readonly damage: readonly Damage[];
  /** What this kind of verification cannot see, in sentences. */
  readonly blind: readonly string[];
}

export interface RepairRequest {
  readonly generation: GenerationId;
  /** A folder or an archive that holds good copies; default: the store's own blobs and other generations. */
  readonly from?: string;
}

export interface RepairResult {
  readonly generation: GenerationId;
  readonly repaired: readonly Damage[];
  readonly changed: boolean;
}

export interface ActivateRequest {
  readonly generation: GenerationId;
  readonly profile: string;
  readonly by: string;
}

export interface RollbackRequest {
  readonly profile: string;
  readonly number?: number;
  readonly by: string;
}

export interface ActivateResult {
  readonly activation: number;
  readonly generation: GenerationId;
  readonly previous: GenerationId | null;
  readonly changed: boolean;
}

export interface Activation {
  readonly profile: string;
  /** Counts within the profile; gives the order old/new. */
  readonly activation: number;
  readonly generation: GenerationId;
  readonly at: string;
  readonly by: string;
  readonly kind: "activate" | "rollback";
  readonly current: boolean;
}

export type PinKind = "activation" | "launch" | "owner" | "stage" | "process" | "manual";

export interface Pin {
  readonly id: string;
  readonly kind: PinKind;
  readonly generation: GenerationId;
  readonly reason: string;
  readonly since: string;
  readonly expiresAt: string | null;
  readonly holder: Readonly<Record<string, string | number>>;
}

export interface PinRequest {
  readonly generation: GenerationId;
  readonly reason: string;
  readonly expiresAt?: string;
}

export interface CollectRequest {
  /** Which part of the one plan to carry out. */
  readonly mode: "print-live" | "print-dead" | "dry-run" | "delete";
  /** How many activations before the current one stay alive in each profile; default: the store's. */
  readonly keepLast?: number;
  /** Keeps what was last staged less than this ago, in milliseconds. */
  readonly olderThanMs?: number;
  readonly onProgress?: (progress: StageProgress) => void;
}

export interface CollectResult {
  readonly live: readonly GenerationId[];
  readonly dead: readonly GenerationId[];
  readonly deleted: readonly GenerationId[];
  /** What the blobs that only dead generations use take on disk. */
  readonly freedBytes: number;
  /** Unpinned generations that a process still runs from; kept. */
  readonly executing: readonly {
    readonly generation: GenerationId;
    readonly pid: number;
    readonly path: string;
  }[];
  /** Left-overs of ended stages and collections that were removed. */
  readonly swept: number;
}

export interface StoreInfo {
  readonly path: string;
  readonly generations: number;
  readonly pinned: number;
  readonly files: number;
  /** The sum of all trees as if nothing was shared. */
  readonly apparentBytes: number;
  readonly blobs: number;
  readonly blobBytes: number;
  readonly indexBytes: number;
  readonly importMethods: Readonly<Partial<Record<ContentOrigin, number>>>;
  readonly alarms: readonly string[];
}
