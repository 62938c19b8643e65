/** store info: what the store holds and takes, and what grows without being looked after. */
import type { StoreInfo } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export type StoreInfoOutput = StoreInfo;

export async function storeInfo({ store }: OperationContext): Promise<StoreInfoOutput> {
  return store.info();
}
