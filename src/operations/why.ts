/** why: every reason a generation is alive, or that it was collected. */
import type { WhyAlive } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export type WhyOutput = WhyAlive;

export function why({ store, profile }: OperationContext, input: { readonly reference: string }): WhyOutput {
  // A full id is not looked up first: what was collected is no generation any more, yet has an answer.
  const isFullId = /^[0-9a-f]{64}$/.test(input.reference);
  return store.why(isFullId ? input.reference : store.resolve(input.reference, profile));
}
