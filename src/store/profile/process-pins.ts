/** Pins that a living process holds; a collection drops those whose holder is proven dead. */

import type { GenerationId } from "../identity/object-id.ts";
import type { Index } from "../index/open-index.ts";
import { insertPin, type PinRow } from "../index/pins.ts";
import type { StoreContext } from "../store-context.ts";

/** To be called inside the transaction that publishes or finds the generation. */
export function pinForStage(
  context: StoreContext,
  generation: GenerationId,
  now: number,
): (db: Index) => PinRow {
  return (db) =>
    insertProcessPin(context, db, { kind: "stage", generation, reason: "staged by a running command", now });
}

export interface ProcessPinRequest {
  readonly kind: "stage" | "process" | "owner";
  readonly generation: GenerationId;
  readonly reason: string;
  readonly now: number;
}

export function insertProcessPin(context: StoreContext, db: Index, request: ProcessPinRequest): PinRow {
  const { kind, generation, reason, now: since } = request;
  return insertPin(db, {
    id: context.ids.hex(8),
    kind,
    generation,
    reason,
    since,
    ...context.processes.self(),
  });
}
