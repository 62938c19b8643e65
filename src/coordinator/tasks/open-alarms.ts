/** The open alarms of a task: those of its attempts, and of its launches. */
import type { AlarmKind } from "../alarms/alarm-kinds.ts";
import type { Reading } from "../commit/statements.ts";

export interface OpenAlarm {
  readonly alarm: string;
  readonly subjectKind: "attempt" | "launch";
  readonly subject: string;
  readonly kind: AlarmKind;
  readonly detail: string;
  readonly raisedAt: string;
}

const OF_TASK = `
  SELECT id AS alarm, subject_kind AS subjectKind, subject, kind, detail, raised_at AS raisedAt
    FROM alarm
   WHERE resolved_at IS NULL
     AND ((subject_kind = 'attempt' AND subject IN (SELECT task || ':' || fence FROM attempt WHERE task = @task))
       OR (subject_kind = 'launch' AND subject IN (SELECT id FROM launch WHERE task = @task)))
   ORDER BY raised_at, id`;

export function openAlarmsOfTask(reading: Reading, task: string): OpenAlarm[] {
  return reading
    .all<Omit<OpenAlarm, "raisedAt"> & { raisedAt: number }>(OF_TASK, { task })
    .map((row) => ({ ...row, raisedAt: new Date(row.raisedAt).toISOString() }));
}

const OF_LAUNCH = `
  SELECT id AS alarm, subject_kind AS subjectKind, subject, kind, detail, raised_at AS raisedAt
    FROM alarm
   WHERE resolved_at IS NULL AND subject_kind = 'launch' AND subject = @launch
   ORDER BY raised_at, id`;

export function openAlarmsOfLaunch(reading: Reading, launch: string): OpenAlarm[] {
  return reading
    .all<Omit<OpenAlarm, "raisedAt"> & { raisedAt: number }>(OF_LAUNCH, { launch })
    .map((row) => ({ ...row, raisedAt: new Date(row.raisedAt).toISOString() }));
}
