/** staleDelivery: the refusal of a lease token that is not the delivery's current one. */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import { type DeliveryKey, readDelivery } from "./read-deliveries.ts";

/** Names where the message is now; throws `not_found` for one that the recipient never had. */
export function staleDelivery(reading: Reading, key: DeliveryKey): CodedError {
  const { message, recipient } = key;
  const { state, attempt, reason } = readDelivery(reading, key);
  const why = reason === null ? "" : `: ${reason}`;
  return new CodedError(
    "stale_delivery",
    `Message ${message} is ${state} after ${attempt} deliveries${why}; this lease of it is over.`,
    {
      hint: `If its work is done, swarm-gen inbox processed ${message} puts that on record; then fetch again.`,
      fields: { message, recipient, state, attempt, changed: false },
    },
  );
}
