/** ls: every generation of the store, as the store orders them. */
import type { GenerationSummary } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export interface LsOutput {
  readonly generations: readonly GenerationSummary[];
}

export function ls({ store }: Pick<OperationContext, "store">): LsOutput {
  return {
    generations: store.list().map(({ generation, name, files, bytes, stagedAt, pins, activations }) => ({
      generation,
      name,
      files,
      bytes,
      stagedAt,
      pins,
      activations,
    })),
  };
}
