/** history: the profile's activations, as the store orders them. */
import type { Activation } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export interface HistoryOutput {
  readonly profile: string;
  readonly activations: readonly Activation[];
}

export function history({ store, profile }: OperationContext): HistoryOutput {
  return { profile, activations: store.history(profile) };
}
