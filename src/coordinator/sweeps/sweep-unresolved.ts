/**
 * sweepUnresolved: raises `unresolved_growth` once too much waits for evidence or for a person:
 * uncertain launches, and messages that are uncertain or dead. It is resolved once there is less.
 *
 * What is unresolved is never taken away by time, so without somebody who looks it only grows. Mail
 * whose recipient has ended is not among it: nobody can do anything about that.
 */
import { OPERATOR } from "../actors/authenticate.ts";
import { raiseAlarm, resolveAlarms } from "../alarms/raise-alarm.ts";
import type { Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { afterAbsence } from "./after-absence.ts";
import { SEEN_AGAIN_MS } from "./sweep-progress.ts";

const SUBJECT = { subjectKind: "scope", subject: "scope" } as const;

const UNRESOLVED = `
  SELECT (SELECT count(*) FROM launch INDEXED BY launch_one_live_per_task
           WHERE state NOT IN ('released', 'failed', 'abandoned') AND state = 'uncertain') AS launches,
         (SELECT count(*) FROM delivery INDEXED BY delivery_unresolved
           WHERE state IN ('uncertain', 'dead') AND reason IS NOT 'recipient_ended') AS messages,
         (SELECT last_seen_at FROM alarm
           WHERE subject_kind = 'scope' AND subject = 'scope' AND kind = 'unresolved_growth'
             AND resolved_at IS NULL) AS seenAt`;

interface Unresolved {
  readonly launches: number;
  readonly messages: number;
  /** When the open alarm was last looked at; null if there is none. */
  readonly seenAt: number | null;
}

/** How many alarms it raised, saw again or resolved. */
export function sweepUnresolved(tx: Transaction): number {
  const { launches, messages, seenAt } = tx.get<Unresolved>(UNRESOLVED) ?? NOTHING;
  const most = setting(tx, "alarm.unresolved");
  if (launches + messages < most) {
    if (seenAt === null) return 0;
    return resolveAlarms(tx, { ...SUBJECT, kinds: ["unresolved_growth"], resolution: "recovery" });
  }
  if (seenAt !== null && Math.abs(tx.now - seenAt) < SEEN_AGAIN_MS) return 0;
  raiseAlarm(tx, {
    ...SUBJECT,
    kind: "unresolved_growth",
    detail: `${launches} launches and ${messages} messages wait for evidence or for a person; ${most} are many${afterAbsence(tx)}.`,
    requester: OPERATOR,
  });
  return 1;
}

const NOTHING: Unresolved = { launches: 0, messages: 0, seenAt: null };
