/** export and import: a generation as one deterministic tar, checked on both ways. */
import type { ExportResult, ExportTarget } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";
import { type StageOutput, stageOutput } from "./stage.ts";

export type ExportOutput = ExportResult;
export type ImportOutput = StageOutput;

/** `generation_damaged`. */
export async function exportGeneration(
  { store, profile }: OperationContext,
  input: { readonly reference: string; readonly target: ExportTarget },
): Promise<ExportOutput> {
  return store.exportTo(store.resolve(input.reference, profile), input.target);
}

/** `archive` is absolute; `expect` a full id. `source_refused`, `generation_damaged`. */
export async function importGeneration(
  { store, onProgress }: OperationContext,
  input: { readonly archive: string; readonly expect?: string },
): Promise<ImportOutput> {
  return stageOutput(await store.importFrom({ ...input, onProgress }));
}
