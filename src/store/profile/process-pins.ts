/** Pins that a living process holds; a collection drops those whose holder is proven dead. */

import type { GenerationId } from "../identity/object-id.ts";
import type { Index } from "../index/open-index.ts";
import { deletePin, holderOf, insertPin, type PinRow, pinsOfKind } from "../index/pins.ts";
import type { StoreContext } from "../store-context.ts";

/**
 * To be called inside the transaction that publishes or finds the generation. The pin lasts until
 * the store is closed, so that what follows the stage in the same command finds the generation.
 */
export function pinForStage(
  context: StoreContext,
  generation: GenerationId,
  now: number,
): (db: Index) => void {
  return (db) => {
    const request = { kind: "stage", generation, reason: "staged by a running command", now } as const;
    context.stagePins.push(insertProcessPin(context, db, request).id);
  };
}

export interface ProcessPinRequest {
  readonly kind: "stage" | "process" | "owner";
  readonly generation: GenerationId;
  readonly reason: string;
  readonly now: number;
}

/** Also drops the pins of ended processes, so that they do not gather until the next collection. */
export function insertProcessPin(context: StoreContext, db: Index, request: ProcessPinRequest): PinRow {
  for (const pin of [...pinsOfKind(db, "stage"), ...pinsOfKind(db, "process")]) {
    const holder = holderOf(pin);
    if (holder !== null && context.processes.liveness(holder) === "dead") deletePin(db, pin.id);
  }
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
