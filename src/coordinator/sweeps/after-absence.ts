/** What an alarm adds when the owner was away shortly before: the reader then weighs it so. */
import type { Reading } from "../commit/statements.ts";

const REMEMBERED_MS = 15 * 60 * 1000;

interface Absence {
  readonly cause: string;
  readonly at: number;
}

/** `, after host_suspended at 2026-…`, or nothing. */
export function afterAbsence(tx: Reading & { readonly now: number }): string {
  const absence = tx.get<Absence>(
    `SELECT absence_cause AS cause, fresh_term_at AS at FROM service
      WHERE absence_cause <> 'owner_start' AND fresh_term_at > @now - @rememberedMs`,
    { now: tx.now, rememberedMs: REMEMBERED_MS },
  );
  return absence === undefined ? "" : `, after ${absence.cause} at ${new Date(absence.at).toISOString()}`;
}
