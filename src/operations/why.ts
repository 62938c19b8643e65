/** why: every reason a generation is alive, or that it was collected. */
import type { WhyAlive } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export type WhyOutput = WhyAlive;

export function why({ store, profile }: OperationContext, input: { readonly reference: string }): WhyOutput {
  return store.why(store.resolve(input.reference, profile));
}
