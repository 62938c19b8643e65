/** The rows of activations: append-only, numbered within a profile. */
import type { GenerationId } from "../identity/object-id.ts";
import type { Index } from "./open-index.ts";

export interface ActivationRow {
  readonly profile: string;
  readonly number: number;
  readonly generation: GenerationId;
  readonly at: number;
  readonly by: string;
  readonly kind: "activate" | "rollback";
  /** Where it stands in the history: its own number, or that of the activation it went back to. */
  readonly position: number;
}

const COLUMNS = "profile, number, generation, at, by, kind, position";

export function insertActivation(db: Index, row: ActivationRow): void {
  db.prepare(`
    INSERT INTO activation (${COLUMNS}) VALUES (@profile, @number, @generation, @at, @by, @kind, @position)`).run(
    row,
  );
}

export function currentActivation(db: Index, profile: string): ActivationRow | null {
  const row = db
    .prepare(`SELECT ${COLUMNS} FROM activation WHERE profile = @profile ORDER BY number DESC LIMIT 1`)
    .get({ profile });
  return (row as ActivationRow | undefined) ?? null;
}

export function readActivation(db: Index, profile: string, number: number): ActivationRow | null {
  const row = db
    .prepare(`SELECT ${COLUMNS} FROM activation WHERE profile = @profile AND number = @number`)
    .get({ profile, number });
  return (row as ActivationRow | undefined) ?? null;
}

/** The nearest activation before the given one's place in history that names another generation. */
export function precedingActivation(
  db: Index,
  { profile, position, generation }: ActivationRow,
): ActivationRow | null {
  const row = db
    .prepare(`
      SELECT ${COLUMNS} FROM activation
       WHERE profile = @profile AND number < @position AND generation <> @generation
       ORDER BY number DESC LIMIT 1`)
    .get({ profile, position, generation });
  return (row as ActivationRow | undefined) ?? null;
}

/** Newest first. */
export function listActivations(db: Index, profile: string): readonly ActivationRow[] {
  return db
    .prepare(`SELECT ${COLUMNS} FROM activation WHERE profile = @profile ORDER BY number DESC`)
    .all({ profile }) as ActivationRow[];
}

export function activationsOf(db: Index, generation: GenerationId): readonly ActivationRow[] {
  return db
    .prepare(`SELECT ${COLUMNS} FROM activation WHERE generation = @generation ORDER BY at DESC, number DESC`)
    .all({ generation }) as ActivationRow[];
}

export function listProfiles(db: Index): readonly string[] {
  return db.prepare("SELECT DISTINCT profile FROM activation ORDER BY profile").pluck().all() as string[];
}

/**
 * The last activations of distinct generations, newest first: the current one and at most
 * `before` others. What a profile's history keeps alive.
 */
export function recentActivations(db: Index, profile: string, before: number): readonly ActivationRow[] {
  return db
    .prepare(`
      SELECT ${COLUMNS} FROM activation
       WHERE number IN (SELECT max(number) FROM activation WHERE profile = @profile GROUP BY generation)
         AND profile = @profile
       ORDER BY number DESC LIMIT @limit`)
    .all({ profile, limit: before + 1 }) as ActivationRow[];
}
