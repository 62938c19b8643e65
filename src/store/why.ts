/** why: every reason that keeps a generation alive, or when it was collected. */
import { CodedError } from "../kernel/errors.ts";
import { isLapsed } from "./collect/plan.ts";
import type { GenerationId } from "./identity/object-id.ts";
import { lastCollectedAt } from "./index/audit.ts";
import { readGeneration } from "./index/generations.ts";
import { asPin, pinsOf } from "./index/pins.ts";
import type { WhyAlive } from "./store.ts";
import type { StoreContext } from "./store-context.ts";

export function why(context: StoreContext, id: GenerationId): WhyAlive {
  const db = context.reading();
  const row = readGeneration(db, id);
  const collectedAt = lastCollectedAt(db, id);
  if (row === null) {
    if (collectedAt === null) {
      throw new CodedError(
        "generation_not_found",
        `No generation ${id} is in this store, and none ever was.`,
        {
          hint: "swarm-gen ls lists the generations.",
          fields: { generation: id },
        },
      );
    }
    const nothing = { pins: [], lapsed: [], executing: [], collectable: false, stagedAt: null };
    return { generation: id, state: "collected", ...nothing, collectedAt: iso(collectedAt) };
  }
  const rows = pinsOf(db, id);
  const pins = rows.map(asPin);
  const { liveness } = context.processes;
  // Activation pins move with their history, so those that are there count.
  const keptActivations = new Set(rows.map(({ profile, activation }) => `${profile}@${activation}`));
  const scan = context.processes.executingBelow(context.layout.generation(id));
  // A process runs from several places of one tree; one of them says enough.
  const executing = [...new Map(scan.executing.map((process) => [process.pid, process])).values()];
  const now = context.clock.now();
  const lapsed = rows.filter((pin) => isLapsed(pin, { keptActivations, liveness, now })).map(({ id }) => id);
  const collectable = lapsed.length === pins.length && executing.length === 0;
  const state = row.state === "collecting" ? "collecting" : "present";
  return {
    generation: id,
    state,
    pins,
    lapsed,
    executing,
    collectable,
    stagedAt: iso(row.stagedAt),
    collectedAt: null,
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
