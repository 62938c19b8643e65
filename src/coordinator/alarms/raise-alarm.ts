/**
 * raiseAlarm and resolveAlarms: something is wrong with a subject, and stays wrong until progress,
 * recovery or an end is seen.
 *
 *   out   the alarm's id, and whether this call raised it
 *
 * While an alarm is open, a second cause of its kind only moves its times. It is delivered to the
 * requester's inbox once, and never waits for it: with nobody to take it, or no room, it is on the
 * lists alone. It reassigns no work.
 */
import { OWNER } from "../actors/authenticate.ts";
import type { Transaction } from "../commit/transaction.ts";
import { isRecipientEnded } from "../inbox/end-mail.ts";
import { hasRoom, putMessage } from "../inbox/put-message.ts";
import { setting } from "../settings/read-settings.ts";
import type { AlarmKind, AlarmResolution, AlarmSubjectKind } from "./alarm-kinds.ts";

export interface RaiseAlarmInput {
  readonly subjectKind: AlarmSubjectKind;
  readonly subject: string;
  readonly kind: AlarmKind;
  /** One sentence for people, with what was expected and since when. */
  readonly detail: string;
  /** The actor whose inbox hears of it; null for none. */
  readonly requester: string | null;
  /** Milliseconds since the epoch, as the next two. */
  readonly lastProgressAt?: number | null;
  readonly lastHealthAt?: number | null;
  readonly lastRenewalAt?: number | null;
}

const SEE_AGAIN = `
  UPDATE alarm
     SET last_seen_at = @now,
         last_progress_at = coalesce(@lastProgressAt, last_progress_at),
         last_health_at = coalesce(@lastHealthAt, last_health_at),
         last_renewal_at = coalesce(@lastRenewalAt, last_renewal_at)
   WHERE subject_kind = @subjectKind AND subject = @subject AND kind = @kind AND resolved_at IS NULL
  RETURNING id`;

const RAISE = `
  INSERT INTO alarm (id, subject_kind, subject, kind, detail, requester, last_progress_at,
                     last_health_at, last_renewal_at, raised_at, last_seen_at)
  VALUES (@id, @subjectKind, @subject, @kind, @detail, (SELECT id FROM actor WHERE id = @requester),
          @lastProgressAt, @lastHealthAt, @lastRenewalAt, @now, @now)`;

export function raiseAlarm(
  tx: Transaction,
  { detail, requester, lastProgressAt, lastHealthAt, lastRenewalAt, ...cause }: RaiseAlarmInput,
): { readonly alarm: string; readonly isNew: boolean } {
  const times = {
    lastProgressAt: lastProgressAt ?? null,
    lastHealthAt: lastHealthAt ?? null,
    lastRenewalAt: lastRenewalAt ?? null,
  };
  const open = tx.get<{ id: string }>(SEE_AGAIN, { ...cause, ...times, now: tx.now });
  if (open !== undefined) return { alarm: open.id, isNew: false };
  const id = `al-${tx.ids.hex(6)}`;
  tx.run(RAISE, { id, ...cause, ...times, detail, requester, now: tx.now });
  tx.emit({ type: "alarm.raised", entity: id, payload: { ...cause, detail } });
  deliver(tx, { id, text: `${cause.kind}: ${detail} (${cause.subjectKind} ${cause.subject})` });
  return { alarm: id, isNew: true };
}

export interface ResolveAlarmsInput {
  readonly subjectKind: AlarmSubjectKind;
  readonly subject: string;
  readonly kinds: readonly AlarmKind[] | "all";
  readonly resolution: AlarmResolution;
}

const RESOLVE = `
  UPDATE alarm SET resolved_at = @now, resolution = @resolution
   WHERE subject_kind = @subjectKind AND subject = @subject AND resolved_at IS NULL
     AND (@kinds IS NULL OR kind IN (SELECT value FROM json_each(@kinds)))
  RETURNING id, kind`;

/** Closes open alarms once progress, recovery or an end was seen; how many it closed. */
export function resolveAlarms(tx: Transaction, { kinds, ...input }: ResolveAlarmsInput): number {
  const resolved = tx.all<{ id: string; kind: string }>(RESOLVE, {
    ...input,
    kinds: kinds === "all" ? null : JSON.stringify(kinds),
    now: tx.now,
  });
  for (const { id, kind } of resolved) {
    tx.emit({ type: "alarm.resolved", entity: id, payload: { kind, resolution: input.resolution } });
  }
  return resolved.length;
}

/**
 * Ordinary mail must not crowd an alarm out, so its bound is twice the inbox's; there has to be
 * one, since a lead that sleeps takes nothing.
 */
function deliver(tx: Transaction, { id, text }: { readonly id: string; readonly text: string }): void {
  const row = tx.get<{ requester: string | null }>("SELECT requester FROM alarm WHERE id = @id", { id });
  const requester = row?.requester ?? null;
  if (requester === null || isRecipientEnded(tx, requester)) return;
  if (!hasRoom(tx, requester, 2 * setting(tx, "inbox.capacity"))) return;
  const message = putMessage(tx, {
    kind: "alarm",
    sender: OWNER,
    recipients: [requester],
    thread: id,
    body: text,
    expiresAt: null,
  });
  tx.run("UPDATE alarm SET message = @message WHERE id = @id", { message, id });
}
