/**
 * sweepSupervision: raises `supervision_lost` for launches whose wrapper has been silent for too
 * long. Silence proves nothing (DISPATCH-4): the launch stays as it is until a census was taken.
 *
 * An owner that was away heard nobody, so silence counts from its fresh term at the earliest; so it
 * does where a clock that was set back left an instant ahead.
 */
import { raiseAlarm } from "../alarms/raise-alarm.ts";
import type { Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { afterAbsence } from "./after-absence.ts";
import { SEEN_AGAIN_MS } from "./sweep-progress.ts";

interface Silent {
  readonly launch: string;
  readonly createdBy: string;
  readonly heardAt: number;
}

const SILENT = `
  SELECT launch.id AS launch, (SELECT created_by FROM intent WHERE intent.id = launch.intent) AS createdBy,
         coalesce(health.at, launch.changed_at) AS heardAt
    FROM launch INDEXED BY launch_one_live_per_task
    JOIN service
    LEFT JOIN health ON health.launch = launch.id AND health.part = 'wrapper'
   WHERE launch.state NOT IN ('released', 'failed', 'abandoned')
     AND launch.state IN ('awaiting_worker_ready', 'startup_blocked', 'bound', 'stopping', 'uncertain')
     AND max(iif(coalesce(health.at, launch.changed_at) > @now, 0, coalesce(health.at, launch.changed_at)),
             coalesce(service.fresh_term_at, 0)) <= @now - @silenceMs
     AND NOT EXISTS (SELECT 1 FROM alarm
                      WHERE subject_kind = 'launch' AND subject = launch.id AND kind = 'supervision_lost'
                        AND resolved_at IS NULL AND last_seen_at > @now - @seenAgainMs)
   LIMIT 500`;

/** How many alarms it raised or saw again. */
export function sweepSupervision(tx: Transaction): number {
  const silent = tx.all<Silent>(SILENT, {
    now: tx.now,
    silenceMs: setting(tx, "worker.silence"),
    seenAgainMs: SEEN_AGAIN_MS,
  });
  for (const { launch, createdBy, heardAt } of silent) {
    raiseAlarm(tx, {
      subjectKind: "launch",
      subject: launch,
      kind: "supervision_lost",
      detail: `The wrapper of launch ${launch} has been silent since ${new Date(heardAt).toISOString()}${afterAbsence(tx)}.`,
      requester: createdBy,
      lastHealthAt: heardAt,
    });
  }
  return silent.length;
}
