/**
 * Alarms in a list, a page at a time: those that are open first, then the resolved ones, if all are
 * asked for; the newest first in both. One that is resolved between two pages is seen again.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import type { AlarmKind } from "./alarm-kinds.ts";
import { type Alarm, type AlarmRow, alarmOf, countOpenAlarms } from "./read-alarms.ts";

export interface ListAlarmsInput {
  readonly kind?: AlarmKind | undefined;
  readonly subject?: string | undefined;
  /** Resolved ones too, after those that are open. */
  readonly all: boolean;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

export interface AlarmPage {
  readonly alarms: readonly Alarm[];
  /** How many are open in all, whatever was asked for. */
  readonly open: number;
  /** Null on the last page. */
  readonly next: string | null;
}

interface Row extends AlarmRow {
  readonly position: number;
}

const OPEN = `
  SELECT alarm.*, rowid AS position FROM alarm INDEXED BY alarm_one_open
   WHERE resolved_at IS NULL AND (@kind IS NULL OR kind = @kind) AND (@subject IS NULL OR subject = @subject)
     AND (raised_at, rowid) < (@raisedAt, @position)
   ORDER BY raised_at DESC, rowid DESC LIMIT @limit`;

const RESOLVED = `
  SELECT alarm.*, rowid AS position FROM alarm
   WHERE resolved_at IS NOT NULL AND (@kind IS NULL OR kind = @kind) AND (@subject IS NULL OR subject = @subject)
     AND rowid < @position
   ORDER BY rowid DESC LIMIT @limit`;

/** `invalid_input` for a cursor of no page. */
export function listAlarms(reading: Reading, _caller: Caller, input: ListAlarmsInput): AlarmPage {
  const { all, limit } = input;
  const filter = { kind: input.kind ?? null, subject: input.subject ?? null };
  const { open, resolved } = placeOf(input.after);
  const most = limit + 1;
  const rows = open === null ? [] : reading.all<Row>(OPEN, { ...filter, ...open, limit: most });
  if (all && rows.length < most) {
    const left = { position: resolved, limit: most - rows.length };
    rows.push(...reading.all<Row>(RESOLVED, { ...filter, ...left }));
  }
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return {
    alarms: page.map(alarmOf),
    open: countOpenAlarms(reading),
    next: isMore ? cursorOf(last) : null,
  };
}

function cursorOf({ resolved_at: resolvedAt, raised_at: raisedAt, position }: Row): string {
  return resolvedAt === null ? `open.${raisedAt}.${position}` : `resolved.${position}`;
}

interface Place {
  /** Null beyond the open ones. */
  readonly open: { readonly raisedAt: number; readonly position: number } | null;
  /** Where the resolved ones go on. */
  readonly resolved: number;
}

function placeOf(after: string | undefined): Place {
  const end = Number.MAX_SAFE_INTEGER;
  if (after === undefined) return { open: { raisedAt: end, position: end }, resolved: end };
  const [, raisedAt, position, resolved] = CURSOR.exec(after) ?? [];
  if (resolved !== undefined) return { open: null, resolved: Number(resolved) };
  if (raisedAt !== undefined && position !== undefined) {
    return { open: { raisedAt: Number(raisedAt), position: Number(position) }, resolved: end };
  }
  throw new CodedError("invalid_input", `${after} is no cursor of this list.`, {
    hint: "Take `next` of the page before as it is.",
    fields: { path: "after", changed: false },
  });
}

const CURSOR = /^(?:open\.(\d{1,15})\.(\d{1,15})|resolved\.(\d{1,15}))$/;
