/** show: one generation; its files; plain SHA-256 sums of them. */
import type { GenerationId } from "../store/identity/object-id.ts";
import type { GenerationDetails, TreeFile } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export type ShowOutput = Pick<
  GenerationDetails,
  | "generation"
  | "name"
  | "path"
  | "files"
  | "bytes"
  | "narHash"
  | "contract"
  | "entrypoints"
  | "pins"
  | "activations"
>;

/** `narHash` is what the store has on record; `nar` computes it where there is none. */
export async function show(
  context: OperationContext,
  input: { readonly reference: string; readonly nar?: boolean },
): Promise<ShowOutput> {
  const { store, profile } = context;
  const id = store.resolve(input.reference, profile);
  // Recorded by the store, so that once asked for it shows from then on.
  if (input.nar === true) await store.narHash(id);
  const details = store.show(id);
  return {
    generation: details.generation,
    name: details.name,
    path: details.path,
    files: details.files,
    bytes: details.bytes,
    narHash: details.narHash,
    contract: details.contract,
    entrypoints: details.entrypoints,
    pins: details.pins,
    activations: details.activations,
  };
}

export interface ShowFilesOutput {
  readonly generation: GenerationId;
  readonly tree: readonly TreeFile[];
}

export async function showFiles(
  context: OperationContext,
  input: { readonly reference: string },
): Promise<ShowFilesOutput> {
  const generation = context.store.resolve(input.reference, context.profile);
  return { generation, tree: await context.store.files(generation) };
}

export interface ShowSumsOutput {
  readonly generation: GenerationId;
  readonly sums: readonly { readonly path: string; readonly sha256: string }[];
}

/** Reads every byte; `generation_damaged` where one differs from the listing. */
export async function showSums(
  context: OperationContext,
  input: { readonly reference: string },
): Promise<ShowSumsOutput> {
  const generation = context.store.resolve(input.reference, context.profile);
  return { generation, sums: await context.store.sums(generation) };
}
