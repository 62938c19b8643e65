/** Pins that people take and release by hand, with a reason and, if they like, an end. */
import { CodedError } from "../../kernel/errors.ts";
import type { GenerationId } from "../identity/object-id.ts";
import type { Index } from "../index/open-index.ts";
import { asPin, deletePin, insertPin, type PinRow, pinsOf, readPin } from "../index/pins.ts";
import type { Pin, PinRequest } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { insertProcessPin } from "./process-pins.ts";

export function pin(context: StoreContext, { generation, reason, expiresAt }: PinRequest): Pin {
  const ends = expiresAt === undefined ? null : Date.parse(expiresAt);
  if (Number.isNaN(ends)) {
    throw new CodedError("invalid_input", `"${expiresAt}" is no instant at which a pin could end.`, {
      hint: "Give it in ISO 8601, such as 2030-01-31T12:00:00Z.",
      fields: { expiresAt, changed: false },
    });
  }
  const db = context.writing();
  return db
    .transaction(() => {
      // A pin is what it says: a retry after a lost reply finds the one that it made.
      const before = pinsOf(db, generation).find((row) => row.kind === "manual" && row.reason === reason);
      // Asked for again, it ends when the newest request says: an old end must not undo a new pin.
      if (before !== undefined) return asPin(before.expiresAt === ends ? before : moveEnd(db, before, ends));
      const since = context.clock.now();
      const row = {
        id: context.ids.hex(8),
        kind: "manual",
        generation,
        reason,
        since,
        expiresAt: ends,
      } as const;
      return asPin(insertPin(db, row));
    })
    .immediate();
}

function moveEnd(db: Index, before: PinRow, expiresAt: number | null): PinRow {
  db.prepare("UPDATE pin SET expires_at = @expiresAt WHERE id = @id").run({ id: before.id, expiresAt });
  return { ...before, expiresAt };
}

export function unpin(context: StoreContext, id: string): Pin {
  const db = context.writing();
  return db
    .transaction(() => {
      const row = readPin(db, id);
      if (row?.kind !== "manual") {
        const message =
          row === null
            ? `No pin ${id} is in this store.`
            : `Pin ${id} is of kind ${row.kind}; only manual pins are released by hand.`;
        throw new CodedError("not_found", message, {
          hint: "swarm-gen why ID lists a generation's pins.",
          fields: { pin: id, changed: false },
        });
      }
      deletePin(db, id);
      return asPin(row);
    })
    .immediate();
}

export function pinForProcess(context: StoreContext, generation: GenerationId, reason: string): Pin {
  const db = context.writing();
  const now = context.clock.now();
  return db
    .transaction(() => asPin(insertProcessPin(context, db, { kind: "process", generation, reason, now })))
    .immediate();
}
