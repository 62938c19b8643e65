/** What the index knows of generations: their list, details and history. */
import { join } from "node:path";
import { CodedError, systemCode } from "../kernel/errors.ts";
import type { GenerationId } from "./identity/object-id.ts";
import {
  type ActivationRow,
  activationsOf,
  currentActivation,
  listActivations,
} from "./index/activations.ts";
import { type GenerationRow, listGenerations, readGeneration } from "./index/generations.ts";
import type { Index } from "./index/open-index.ts";
import { asPin, pinsOf } from "./index/pins.ts";
import { GENERATION_FILE, type GenerationFile, provenGenerationFile } from "./source/generation-file.ts";
import type { Activation, GenerationDetails, GenerationSummary } from "./store.ts";
import type { StoreContext } from "./store-context.ts";

export function list(context: StoreContext): readonly GenerationSummary[] {
  return listGenerations(context.reading()).map(
    ({ id, name, files, sizeBytes, stagedAt, pins, activations }) => ({
      generation: id,
      name,
      files,
      bytes: sizeBytes,
      stagedAt: new Date(stagedAt).toISOString(),
      pins,
      activations,
    }),
  );
}

export function show(context: StoreContext, id: GenerationId): GenerationDetails {
  const db = context.reading();
  const row = requireGeneration(db, id);
  const file = readGenerationFile(context, id);
  return {
    generation: id,
    name: row.name,
    path: context.layout.generation(id),
    files: row.files,
    bytes: row.sizeBytes,
    stagedAt: new Date(row.stagedAt).toISOString(),
    narHash: row.narHash,
    contract: file.contract,
    entrypoints: file.entrypoints,
    interpreter: file.interpreter,
    platform: file.platform,
    provenance: {
      source: row.source,
      commit: row.sourceCommit,
      dirty: row.sourceDirty === null ? null : row.sourceDirty === 1,
    },
    importMethods: JSON.parse(row.importMethods) as GenerationDetails["importMethods"],
    pins: pinsOf(db, id).map(asPin),
    activations: activationsOf(db, id).map((activation) => asActivation(db, activation)),
  };
}

export function history(context: StoreContext, profile: string): readonly Activation[] {
  const db = context.reading();
  return listActivations(db, profile).map((row) => asActivation(db, row));
}

export function requireGeneration(db: Index, id: GenerationId): GenerationRow {
  const row = readGeneration(db, id);
  if (row !== null) return row;
  throw new CodedError("generation_not_found", `No generation ${id} is in this store.`, {
    hint: "swarm-gen ls lists the generations.",
    fields: { generation: id },
  });
}

function readGenerationFile({ fs, layout }: StoreContext, id: GenerationId): GenerationFile {
  const path = join(layout.generation(id), GENERATION_FILE);
  const bytes = readOrDamaged(id, () => fs.readFileSync(path));
  try {
    return provenGenerationFile(bytes);
  } catch (cause) {
    // Checked when it was staged, so it was changed since.
    throw damaged(id, `${GENERATION_FILE} is no JSON`, cause);
  }
}

/** What `read` gives; `generation_damaged` where the file that it reads is not there. */
export function readOrDamaged<Result>(id: GenerationId, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error;
    throw damaged(id, "a file of it is missing", error);
  }
}

function damaged(id: GenerationId, why: string, cause: unknown): CodedError {
  return new CodedError("generation_damaged", `Generation ${id} is not whole: ${why}.`, {
    hint: `swarm-gen verify ${id} lists all damage; swarm-gen repair ${id} mends it.`,
    cause,
    fields: { generation: id },
  });
}

function asActivation(db: Index, { profile, number, generation, at, by, kind }: ActivationRow): Activation {
  const current = currentActivation(db, profile)?.number === number;
  return { profile, activation: number, generation, at: new Date(at).toISOString(), by, kind, current };
}
