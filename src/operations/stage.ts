/** stage: a folder, an npm `.tgz` or an exported archive becomes a generation. */
import type { ActivateResult, StageResult } from "../store/store.ts";
import { activate } from "./activate.ts";
import type { OperationContext } from "./operation-context.ts";

export interface StageInput {
  /** Absolute. */
  readonly source: string;
  readonly recipe?: string;
  readonly bare?: boolean;
  readonly name?: string;
  readonly acceptOwnPaths?: boolean;
}

export type StageOutput = StageResult;

/** `source_refused`, `recipe_invalid`, `build_failed`, and what any store operation may throw. */
export async function stage(context: OperationContext, input: StageInput): Promise<StageOutput> {
  const { store, onProgress, signal } = context;
  return stageOutput(await store.stage({ ...input, onProgress, signal }));
}

/** Stages and makes the result current. Held in between, so that no collection takes it away. */
export async function stageAndActivate(
  context: OperationContext,
  input: StageInput,
): Promise<{ readonly staged: StageOutput; readonly activated: ActivateResult }> {
  const { store, onProgress, signal } = context;
  const result = await store.stage({ ...input, hold: true, onProgress, signal });
  return {
    staged: stageOutput(result),
    activated: activate(context, { generation: result.generation }),
  };
}

/** Exactly the documented keys, whatever else the store may come to return. */
export function stageOutput(result: StageResult): StageOutput {
  const { generation, name, files, bytes, reused, durationMs } = result;
  return {
    generation,
    name,
    new: result.new,
    files,
    bytes,
    reused: { files: reused.files, bytes: reused.bytes },
    durationMs,
  };
}
