/** The rows of scopes: a project's coordination domain, and the generation that its owner runs from. */
import type { GenerationId } from "../identity/object-id.ts";
import type { Index } from "./open-index.ts";

export interface ScopeRow {
  readonly scope: string;
  readonly root: string;
  readonly profile: string;
  readonly instance: string;
  readonly folder: string;
  readonly generation: GenerationId | null;
  readonly createdAt: number;
}

const COLUMNS = "id AS scope, root, profile, instance, folder, generation, created_at AS createdAt";

export function readScope(db: Index, scope: string): ScopeRow | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM scope WHERE id = @scope`).get({ scope });
  return (row as ScopeRow | undefined) ?? null;
}

/** Oldest first. */
export function listScopes(db: Index): readonly ScopeRow[] {
  return db.prepare(`SELECT ${COLUMNS} FROM scope ORDER BY created_at, id`).all() as ScopeRow[];
}

/** Takes the place of a row of the same scope. */
export function putScope(db: Index, row: ScopeRow): void {
  db.prepare(`
    INSERT INTO scope (id, root, profile, instance, folder, generation, created_at)
    VALUES (@scope, @root, @profile, @instance, @folder, @generation, @createdAt)
    ON CONFLICT (id) DO UPDATE SET
      instance = excluded.instance, folder = excluded.folder, generation = excluded.generation,
      created_at = excluded.created_at`).run(row);
}

/** The owners of a profile's scopes are started from `generation` from now on. */
export function moveScopes(
  db: Index,
  { profile, generation }: { readonly profile: string; readonly generation: GenerationId },
): void {
  db.prepare("UPDATE scope SET generation = @generation WHERE profile = @profile").run({
    profile,
    generation,
  });
}
