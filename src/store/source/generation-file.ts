/**
 * `generation.json`: what a generation says of itself, inside its own tree, so that its id covers
 * it. Canonical JSON. It holds no time, no path of a machine and no user name: staged twice, on
 * two machines, it is the same bytes.
 *
 * Only types and bytes stand here; `generation-file-schema.ts` checks one that comes from outside,
 * and is kept apart because its library takes longer to load than `ls` takes to run.
 */
import { canonicalBytes } from "../../kernel/canonical-json.ts";
import type { Digest } from "../identity/object-id.ts";

export const GENERATION_FILE = "generation.json";

/** A runtime's name, and the rule as a sentence without its subject. */
export const RUNTIME_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
export const RUNTIME_NAME_RULE = "must be lower-case letters, digits, . _ - (at most 64)";

/** [lowest, highest] */
export type Range = [number, number];

/** What a generation speaks; ranges match when they intersect. */
export interface Contract {
  readonly api: Range;
  readonly ledgerSchema: Range;
  readonly indexSchema: Range;
  readonly skills: Record<string, Range>;
}

/** Where a generation's programs stand, as paths inside its tree; every one optional. */
export interface Entrypoints {
  readonly cli?: string | undefined;
  readonly owner?: string | undefined;
  readonly wrapper?: string | undefined;
  readonly mcp?: string | undefined;
  readonly hooks?: Record<string, string> | undefined;
  readonly piExtension?: string | undefined;
  readonly plugin?: string | undefined;
  readonly skills?: string[] | undefined;
}

export interface Interpreter {
  readonly name: "node";
  readonly version: string;
  /** Git's blob digest of the file at `path`. */
  readonly digest: Digest;
  readonly path: string;
  /** Libraries outside the tree, beyond the system's C and C++ runtime, that its recipe accepted. */
  readonly foreignLibraries?: string[] | undefined;
}

export interface GenerationFile {
  readonly format: 1;
  readonly name: string;
  readonly contract: Contract | null;
  readonly entrypoints: Entrypoints;
  readonly interpreter: Interpreter | null;
  /** `linux-x64`, `linux-x64-musl`, `darwin-arm64`; null where nothing in the tree depends on it. */
  readonly platform: string | null;
  /** `digest` is the plain SHA-256 of the lockfile's bytes. */
  readonly lockfile: { readonly manager: string; readonly digest: string } | null;
}

export function generationFileBytes(file: GenerationFile): Buffer {
  return canonicalBytes(file as unknown as Parameters<typeof canonicalBytes>[0]);
}

/**
 * Reads the `generation.json` of a tree whose id was proven. It was checked when it was staged or
 * imported, so it is not checked again.
 */
export function provenGenerationFile(bytes: Uint8Array): GenerationFile {
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as GenerationFile;
}
