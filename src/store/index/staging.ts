/** The rows of folders in the making. A row comes before its folder and goes after it. */
import type { ProcessIdentity } from "../../kernel/processes.ts";
import type { Index } from "./open-index.ts";

export interface StagingRow extends ProcessIdentity {
  readonly folder: string;
  readonly since: number;
}

export function insertStaging(db: Index, row: StagingRow): void {
  db.prepare(`
    INSERT INTO staging (folder, pid, start_time, boot, since)
    VALUES (@folder, @pid, @startTime, @boot, @since)`).run(row);
}

export function deleteStaging(db: Index, folder: string): void {
  db.prepare("DELETE FROM staging WHERE folder = @folder").run({ folder });
}

export function listStaging(db: Index): readonly StagingRow[] {
  return db
    .prepare("SELECT folder, pid, start_time AS startTime, boot, since FROM staging ORDER BY since, folder")
    .all() as StagingRow[];
}
