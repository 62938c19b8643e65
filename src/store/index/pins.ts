/** The rows of pins: durable reasons why a generation may still execute (STORE-3). */
import { CodedError } from "../../kernel/errors.ts";
import type { ProcessIdentity } from "../../kernel/processes.ts";
import type { GenerationId } from "../identity/object-id.ts";
import type { Pin, PinKind } from "../store.ts";
import { readGeneration } from "./generations.ts";
import type { Index } from "./open-index.ts";

export interface PinRow {
  readonly id: string;
  readonly kind: PinKind;
  readonly generation: GenerationId;
  readonly reason: string;
  readonly since: number;
  readonly expiresAt: number | null;
  readonly profile: string | null;
  readonly activation: number | null;
  readonly launchId: string | null;
  readonly scope: string | null;
  readonly ledgerInstance: string | null;
  readonly epoch: number | null;
  readonly stage: "reserved" | "started" | null;
  readonly pid: number | null;
  readonly startTime: string | null;
  readonly boot: string | null;
}

const COLUMNS = `id, kind, generation, reason, since, expires_at AS expiresAt, profile, activation,
  launch_id AS launchId, scope, ledger_instance AS ledgerInstance, epoch, stage, pid,
  start_time AS startTime, boot`;

const NOTHING = {
  expiresAt: null,
  profile: null,
  activation: null,
  launchId: null,
  scope: null,
  ledgerInstance: null,
  epoch: null,
  stage: null,
  pid: null,
  startTime: null,
  boot: null,
};

export type NewPin = Pick<PinRow, "id" | "kind" | "generation" | "reason" | "since"> & Partial<PinRow>;

/**
 * Inserts a pin. Call it inside an immediate transaction: the look at the generation's state and
 * the insert are then one step, and a collection that begins later finds the pin.
 * `generation_not_found`, `generation_collecting`.
 */
export function insertPin(db: Index, pin: NewPin): PinRow {
  requirePinnable(db, pin.generation);
  const row: PinRow = { ...NOTHING, ...pin };
  db.prepare(`
    INSERT INTO pin (id, kind, generation, reason, since, expires_at, profile, activation, launch_id, scope,
                     ledger_instance, epoch, stage, pid, start_time, boot)
    VALUES (@id, @kind, @generation, @reason, @since, @expiresAt, @profile, @activation, @launchId, @scope,
            @ledgerInstance, @epoch, @stage, @pid, @startTime, @boot)`).run(row);
  return row;
}

/** Throws unless the generation is there and may be pinned. */
export function requirePinnable(db: Index, id: GenerationId): void {
  const generation = readGeneration(db, id);
  if (generation === null) {
    throw new CodedError("generation_not_found", `No generation ${id} is in this store.`, {
      hint: "swarm-gen ls lists the generations.",
      fields: { generation: id },
    });
  }
  if (generation.state === "collecting") {
    throw new CodedError(
      "generation_collecting",
      `Generation ${id} is being collected and can no longer be pinned.`,
      {
        hint: "Stage it again, then pin it.",
        fields: { generation: id },
      },
    );
  }
}

export function readPin(db: Index, id: string): PinRow | null {
  return (db.prepare(`SELECT ${COLUMNS} FROM pin WHERE id = @id`).get({ id }) as PinRow | undefined) ?? null;
}

export function pinsOf(db: Index, generation: GenerationId): readonly PinRow[] {
  return db
    .prepare(`SELECT ${COLUMNS} FROM pin WHERE generation = @generation ORDER BY since, id`)
    .all({ generation }) as PinRow[];
}

export function pinsOfKind(db: Index, kind: PinKind): readonly PinRow[] {
  return db
    .prepare(`SELECT ${COLUMNS} FROM pin WHERE kind = @kind ORDER BY since, id`)
    .all({ kind }) as PinRow[];
}

export function allPins(db: Index): readonly PinRow[] {
  return db.prepare(`SELECT ${COLUMNS} FROM pin ORDER BY since, id`).all() as PinRow[];
}

export function deletePin(db: Index, id: string): boolean {
  return db.prepare("DELETE FROM pin WHERE id = @id").run({ id }).changes === 1;
}

/** The process that holds a pin; null for kinds that a process does not hold. */
export function holderOf(pin: PinRow): ProcessIdentity | null {
  const { pid, startTime, boot } = pin;
  return pid === null || startTime === null || boot === null ? null : { pid, startTime, boot };
}

export function asPin(row: PinRow): Pin {
  const holder = Object.fromEntries(
    Object.entries({
      profile: row.profile,
      activation: row.activation,
      launch: row.launchId,
      scope: row.scope,
      ledgerInstance: row.ledgerInstance,
      epoch: row.epoch,
      stage: row.stage,
      pid: row.pid,
      startTime: row.startTime,
      boot: row.boot,
    }).filter((entry): entry is [string, string | number] => entry[1] !== null),
  );
  return {
    id: row.id,
    kind: row.kind,
    generation: row.generation,
    reason: row.reason,
    since: new Date(row.since).toISOString(),
    expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt).toISOString(),
    holder,
  };
}
