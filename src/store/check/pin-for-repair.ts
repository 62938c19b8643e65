/**
 * The pin of a running repair: no collection takes away what is being mended, and no second repair
 * mends the same tree at once. Two of them would act on what they saw before the other began, and
 * one of them might take a tree for gone that the other has just brought back.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { GenerationId } from "../identity/object-id.ts";
import { deletePin, holderOf, type PinRow, pinsOf } from "../index/pins.ts";
import { insertProcessPin } from "../profile/process-pins.ts";
import type { StoreContext } from "../store-context.ts";

const REASON = "repaired by a running command";

// A holder of whom nothing can be known (another name space of pids) keeps others out for a day.
const UNKNOWN_HOLDER_MS = 24 * 60 * 60 * 1000;

/** `overloaded` while another repair of it runs, `generation_collecting`, `generation_not_found`. */
export function pinForRepair(context: StoreContext, generation: GenerationId): { release(): void } {
  const db = context.writing();
  const now = context.clock.now();
  const { id } = db
    .transaction(() => {
      const other = pinsOf(db, generation).find((pin) => isRepairAtWork(context, pin, now));
      if (other !== undefined) throw alreadyRepaired(generation, other);
      return insertProcessPin(context, db, { kind: "process", generation, reason: REASON, now });
    })
    .immediate();
  return { release: () => void deletePin(context.writing(), id) };
}

function isRepairAtWork({ processes }: StoreContext, pin: PinRow, now: number): boolean {
  const holder = holderOf(pin);
  if (pin.kind !== "process" || pin.reason !== REASON || holder === null) return false;
  const liveness = processes.liveness(holder);
  return liveness === "alive" || (liveness === "unknown" && now - pin.since < UNKNOWN_HOLDER_MS);
}

function alreadyRepaired(generation: GenerationId, { pid }: PinRow): CodedError {
  return new CodedError(
    "overloaded",
    `Generation ${generation} is being repaired by process ${pid} already.`,
    {
      hint: `Wait for it to end; swarm-gen verify ${generation} then tells whether anything is left to mend.`,
      fields: { generation, pid, changed: false },
    },
  );
}
