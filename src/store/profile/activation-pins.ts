/** Which generations a profile's history keeps alive: the current one, and the last few before it. */
import { recentActivations } from "../index/activations.ts";
import { readGeneration } from "../index/generations.ts";
import type { Index } from "../index/open-index.ts";
import { deletePin, insertPin, pinsOfKind } from "../index/pins.ts";
import type { StoreContext } from "../store-context.ts";

/** How many activations before the current one stay pinned, unless a collection says otherwise. */
export const KEPT_ACTIVATIONS = 3;

export interface MovePins {
  readonly profile: string;
  readonly at: number;
  readonly keep?: number;
}

/**
 * Brings a profile's activation pins in line with its history. Inside an immediate transaction.
 * A generation that was collected while it was out of history stays so: it cannot be pinned.
 */
export function movePins(
  { ids }: StoreContext,
  db: Index,
  { profile, at, keep = KEPT_ACTIVATIONS }: MovePins,
): void {
  const wanted = new Map(recentActivations(db, profile, keep).map((row) => [row.generation, row]));
  for (const pin of pinsOfKind(db, "activation")) {
    if (pin.profile !== profile) continue;
    const row = wanted.get(pin.generation);
    if (row?.number === pin.activation) wanted.delete(pin.generation);
    else deletePin(db, pin.id);
  }
  for (const { generation, number } of wanted.values()) {
    if (readGeneration(db, generation)?.state !== "present") continue;
    const reason = `activation @${number} of profile ${profile}`;
    insertPin(db, {
      id: ids.hex(8),
      kind: "activation",
      generation,
      reason,
      since: at,
      profile,
      activation: number,
    });
  }
}
