/** rollback: activates the generation that was current before, or that of activation `number`. */
import { type ActivateOutput, activateOutput } from "./activate.ts";
import type { OperationContext } from "./operation-context.ts";

export type RollbackOutput = ActivateOutput;

/** `not_found` where there is nothing to go back to; `admission_closed`. */
export function rollback(
  { store, profile, by }: OperationContext,
  input: { readonly number?: number },
): RollbackOutput {
  return activateOutput(store.rollback({ profile, by, ...input }));
}
