/** The rows of generations: what stands in the store, and what it is called. */
import type { GenerationId } from "../identity/object-id.ts";
import type { Index } from "./open-index.ts";

export interface GenerationRow {
  readonly id: GenerationId;
  readonly name: string;
  readonly state: "present" | "collecting";
  readonly files: number;
  readonly sizeBytes: number;
  readonly narHash: string | null;
  /** When it was last staged, or adopted, in milliseconds since the epoch. */
  readonly stagedAt: number;
  readonly source: string;
  readonly sourceCommit: string | null;
  readonly sourceDirty: number | null;
  /** JSON: how many files came into the tree by which method. */
  readonly importMethods: string;
}

const COLUMNS = `id, name, state, files, size_bytes AS sizeBytes, nar_hash AS narHash, staged_at AS stagedAt,
  source, source_commit AS sourceCommit, source_dirty AS sourceDirty, import_methods AS importMethods`;

export function readGeneration(db: Index, id: GenerationId): GenerationRow | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM generation WHERE id = @id`).get({ id });
  return (row as GenerationRow | undefined) ?? null;
}

/** Ids that begin with `prefix`, at most `limit`, in their own order. */
export function findGenerations(db: Index, prefix: string, limit: number): readonly GenerationId[] {
  // GLOB uses the primary key; a prefix of hex digits holds none of its special characters.
  return db
    .prepare("SELECT id FROM generation WHERE id GLOB @pattern ORDER BY id LIMIT @limit")
    .pluck()
    .all({ pattern: `${prefix}*`, limit }) as GenerationId[];
}

export interface GenerationWithCounts extends GenerationRow {
  readonly pins: number;
  readonly activations: number;
}

/** All generations, oldest first, each with how many pins and activations name it. */
export function listGenerations(db: Index): readonly GenerationWithCounts[] {
  return db
    .prepare(`
      SELECT ${COLUMNS},
             (SELECT count(*) FROM pin WHERE pin.generation = generation.id) AS pins,
             (SELECT count(*) FROM activation WHERE activation.generation = generation.id) AS activations
        FROM generation
       ORDER BY staged_at, id`)
    .all() as GenerationWithCounts[];
}

export function insertGeneration(db: Index, row: Omit<GenerationRow, "state" | "narHash">): void {
  db.prepare(`
    INSERT INTO generation (id, name, state, files, size_bytes, staged_at, source, source_commit, source_dirty, import_methods)
    VALUES (@id, @name, 'present', @files, @sizeBytes, @stagedAt, @source, @sourceCommit, @sourceDirty, @importMethods)`).run(
    row,
  );
}

export function recordNarHash(db: Index, id: GenerationId, narHash: string): void {
  db.prepare("UPDATE generation SET nar_hash = @narHash WHERE id = @id").run({ id, narHash });
}

/** Begins the grace time of a generation anew. */
export function renewStagedAt(
  db: Index,
  { id, now }: { readonly id: GenerationId; readonly now: number },
): void {
  db.prepare("UPDATE generation SET staged_at = @now WHERE id = @id AND state = 'present'").run({ id, now });
}

/** From now on the generation can no longer be pinned; false if it is pinned, or gone. */
export function markCollecting(db: Index, id: GenerationId): boolean {
  const { changes } = db
    .prepare(`
      UPDATE generation SET state = 'collecting'
       WHERE id = @id AND NOT EXISTS (SELECT 1 FROM pin WHERE pin.generation = generation.id)`)
    .run({ id });
  return changes === 1;
}

export function deleteCollecting(db: Index, id: GenerationId): boolean {
  return (
    db.prepare("DELETE FROM generation WHERE id = @id AND state = 'collecting'").run({ id }).changes === 1
  );
}
