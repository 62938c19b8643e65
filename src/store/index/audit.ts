/** What was done to generations that may be gone: append-only, for `why` and for people. */
import { type CanonicalValue, canonicalBytes } from "../../kernel/canonical-json.ts";
import type { GenerationId } from "../identity/object-id.ts";
import type { Index } from "./open-index.ts";

export interface AuditEvent {
  readonly at: number;
  readonly action: "staged" | "collected" | "repaired" | "adopted";
  readonly generation: GenerationId;
  readonly detail: CanonicalValue;
}

export function recordAudit(db: Index, event: AuditEvent): void {
  db.prepare(
    "INSERT INTO audit (at, action, generation, detail) VALUES (@at, @action, @generation, @detail)",
  ).run({
    ...event,
    detail: canonicalBytes(event.detail).toString("utf8").trimEnd(),
  });
}

/** When the generation was last collected, in milliseconds since the epoch; null if never. */
export function lastCollectedAt(db: Index, generation: GenerationId): number | null {
  const at = db
    .prepare("SELECT max(at) FROM audit WHERE generation = @generation AND action = 'collected'")
    .pluck()
    .get({ generation });
  return (at as number | null) ?? null;
}

/** Whether a generation whose id begins with `prefix` was ever collected. */
export function wasCollected(db: Index, prefix: string): boolean {
  return (
    db
      .prepare("SELECT 1 FROM audit WHERE generation GLOB @pattern AND action = 'collected' LIMIT 1")
      .get({ pattern: `${prefix}*` }) !== undefined
  );
}
