/** diff: what changes from one generation to another, by component and by file. */
import type { GenerationDiff } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export type DiffOutput = GenerationDiff;

export async function diff(
  { store, profile }: OperationContext,
  input: { readonly from: string; readonly to: string },
): Promise<DiffOutput> {
  return store.diff(store.resolve(input.from, profile), store.resolve(input.to, profile));
}
