/** activate: makes a generation the current one of the profile. Doing so again changes nothing. */
import type { ActivateResult } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export type ActivateOutput = ActivateResult;

/** `generation` is a reference: id, unique prefix, `@12`, `@current`, `@previous`. `admission_closed`. */
export function activate(
  { store, profile, by }: OperationContext,
  input: { readonly generation: string },
): ActivateOutput {
  return activateOutput(
    store.activate({ generation: store.resolve(input.generation, profile), profile, by }),
  );
}

/** Exactly the documented keys. */
export function activateOutput({
  activation,
  generation,
  previous,
  changed,
}: ActivateResult): ActivateOutput {
  return { activation, generation, previous, changed };
}
