/** store gc: removes what nothing holds; every mode prints or carries out the same plan. */
import type { GenerationId } from "../store/identity/object-id.ts";
import type { CollectRequest, CollectResult } from "../store/store.ts";
import { type OperationContext, stoppingProgress } from "./operation-context.ts";

export type GcInput = Pick<CollectRequest, "mode" | "keepLast" | "olderThanMs">;

export interface GcOutput {
  readonly live: readonly GenerationId[];
  readonly dead: readonly GenerationId[];
  readonly deleted: readonly GenerationId[];
  readonly freedBytes: number;
}

/** The store's whole answer; surfaces that speak to people name what still runs. */
export async function storeGc(context: OperationContext, input: GcInput): Promise<CollectResult> {
  return context.store.collect({ ...input, onProgress: stoppingProgress(context) });
}

/** Exactly the documented keys. */
export function gcOutput({ live, dead, deleted, freedBytes }: CollectResult): GcOutput {
  return { live, dead, deleted, freedBytes };
}
