/** Alarms as every surface shows them. */
import { invariant } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import { MOST_CANDIDATES, onlyCandidate } from "../prefixes/only-candidate.ts";
import type { AlarmKind, AlarmResolution, AlarmSubjectKind } from "./alarm-kinds.ts";

export interface Alarm {
  readonly alarm: string;
  readonly kind: AlarmKind;
  readonly subjectKind: AlarmSubjectKind;
  readonly subject: string;
  readonly detail: string;
  /** Whose inbox was to hear of it; null for nobody's. */
  readonly requester: string | null;
  /** The message that tells of it; null if there was nobody to tell, or no room. */
  readonly message: string | null;
  /** ISO 8601, UTC, as every instant. */
  readonly raisedAt: string;
  readonly lastSeenAt: string;
  readonly lastProgressAt: string | null;
  readonly lastHealthAt: string | null;
  readonly lastRenewalAt: string | null;
  readonly resolvedAt: string | null;
  readonly resolution: AlarmResolution | null;
}

export interface AlarmRow {
  readonly id: string;
  readonly subject_kind: AlarmSubjectKind;
  readonly subject: string;
  readonly kind: AlarmKind;
  readonly detail: string;
  readonly requester: string | null;
  readonly message: string | null;
  readonly last_progress_at: number | null;
  readonly last_health_at: number | null;
  readonly last_renewal_at: number | null;
  readonly raised_at: number;
  readonly last_seen_at: number;
  readonly resolved_at: number | null;
  readonly resolution: AlarmResolution | null;
}

export function countOpenAlarms(reading: Reading): number {
  const row = reading.get<{ count: number }>(
    "SELECT count(*) AS count FROM alarm INDEXED BY alarm_one_open WHERE resolved_at IS NULL",
  );
  return row?.count ?? 0;
}

// "g" comes after every digit of an id.
const CANDIDATES = `
  SELECT id, kind, subject FROM alarm WHERE id >= @prefix AND id < @prefix || 'g' ORDER BY id LIMIT @limit`;

/** By a unique beginning of its id; `not_found`, or `ambiguous_prefix` with the candidates. */
export function showAlarm(
  reading: Reading,
  _caller: Caller,
  { alarm: prefix }: { readonly alarm: string },
): Alarm {
  const candidates = reading.all<{ id: string; kind: AlarmKind; subject: string }>(CANDIDATES, {
    prefix,
    limit: MOST_CANDIDATES + 1,
  });
  const alarm = onlyCandidate(candidates, { noun: "alarm", prefix, listedBy: "alarm ls --all" });
  const row = reading.get<AlarmRow>("SELECT * FROM alarm WHERE id = @alarm", { alarm });
  invariant(row !== undefined, "a candidate is there");
  return alarmOf(row);
}

export function alarmOf(row: AlarmRow): Alarm {
  return {
    alarm: row.id,
    kind: row.kind,
    subjectKind: row.subject_kind,
    subject: row.subject,
    detail: row.detail,
    requester: row.requester,
    message: row.message,
    raisedAt: iso(row.raised_at),
    lastSeenAt: iso(row.last_seen_at),
    lastProgressAt: isoOrNull(row.last_progress_at),
    lastHealthAt: isoOrNull(row.last_health_at),
    lastRenewalAt: isoOrNull(row.last_renewal_at),
    resolvedAt: isoOrNull(row.resolved_at),
    resolution: row.resolution,
  };
}

const iso = (instant: number): string => new Date(instant).toISOString();
const isoOrNull = (instant: number | null): string | null => (instant === null ? null : iso(instant));
