/** pin and unpin: a person's own reason why a generation stays. */
import type { Pin } from "../store/store.ts";
import type { OperationContext } from "./operation-context.ts";

export interface PinInput {
  readonly reference: string;
  readonly reason: string;
  /** The pin ends this long from now. */
  readonly expiresInMs?: number;
}

export type PinOutput = Pin;

/** The same generation and reason again is the same pin. `generation_collecting`. */
export function pin({ store, profile, clock }: OperationContext, input: PinInput): PinOutput {
  return store.pin({
    generation: store.resolve(input.reference, profile),
    reason: input.reason,
    ...(input.expiresInMs === undefined
      ? {}
      : { expiresAt: new Date(clock.now() + input.expiresInMs).toISOString() }),
  });
}

/** `not_found`. */
export function unpin({ store }: OperationContext, input: { readonly pinId: string }): PinOutput {
  return store.unpin(input.pinId);
}
