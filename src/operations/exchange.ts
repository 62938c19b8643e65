/** export and import: a generation as one deterministic tar, checked on both ways. */
import { dirname } from "node:path";
import { CodedError, systemCode } from "../kernel/errors.ts";
import type { ExportResult, ExportTarget } from "../store/store.ts";
import { type OperationContext, stoppingProgress } from "./operation-context.ts";
import { type StageOutput, stageOutput } from "./stage.ts";

export type ExportOutput = ExportResult;
export type ImportOutput = StageOutput;

/** `generation_damaged`; `invalid_input` where no file can stand at the target. */
export async function exportGeneration(
  { store, profile }: OperationContext,
  input: { readonly reference: string; readonly target: ExportTarget },
): Promise<ExportOutput> {
  const { reference, target } = input;
  const id = store.resolve(reference, profile);
  try {
    return await store.exportTo(id, target);
  } catch (error) {
    if ("file" in target && isNoPlaceFor(target.file, error)) {
      throw new CodedError("invalid_input", `No file can be written at ${target.file}.`, {
        hint: "Name a file in a folder that exists.",
        cause: error,
      });
    }
    throw error;
  }
}

function isNoPlaceFor(file: string, error: unknown): boolean {
  if (!["ENOENT", "EISDIR", "ENOTEMPTY"].includes(systemCode(error) ?? "")) return false;
  // The same codes about the store's own files are no fault of the target.
  return error instanceof Error && "path" in error && String(error.path).startsWith(dirname(file));
}

/** `archive` is absolute; `expect` a full id. `source_refused`, `generation_damaged`. */
export async function importGeneration(
  context: OperationContext,
  input: { readonly archive: string; readonly expect?: string },
): Promise<ImportOutput> {
  return stageOutput(await context.store.importFrom({ ...input, onProgress: stoppingProgress(context) }));
}
