/** repair: mends a generation from good copies only. */
import type { RepairResult } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export type RepairOutput = RepairResult;

/** `from` is absolute. `generation_damaged` where a good copy is missing. */
export async function repair(
  { store, profile }: OperationContext,
  input: { readonly reference: string; readonly from?: string },
): Promise<RepairOutput> {
  const generation = store.resolve(input.reference, profile);
  return store.repair({ generation, ...(input.from === undefined ? {} : { from: input.from }) });
}
