/** Schemas and code of the operations on alarms. */
import { z } from "zod";
import { ALARM_KINDS, ALARM_RESOLUTIONS, ALARM_SUBJECT_KINDS } from "../../coordinator/alarms/alarm-kinds.ts";
import { type AlarmPage, type ListAlarmsInput, listAlarms } from "../../coordinator/alarms/list-alarms.ts";
import { type Alarm, showAlarm } from "../../coordinator/alarms/read-alarms.ts";
import type { QueryCode } from "./operation-code.ts";
import { actorId, count, cursor, instant, pageLimit } from "./schema-parts.ts";

const alarmId = z.string().regex(/^al-[0-9a-f]{4,32}$/, "the id of an alarm, like al-5c1b90aa31f4");
const alarmPrefix = z
  .string()
  .regex(/^al-[0-9a-f]{1,32}$/, "the id of an alarm or its beginning, like al-5c1b");

export const alarm = z.strictObject({
  alarm: alarmId,
  kind: z.enum(ALARM_KINDS),
  subjectKind: z.enum(ALARM_SUBJECT_KINDS),
  subject: z.string(),
  detail: z.string(),
  requester: actorId.nullable(),
  message: z.string().nullable(),
  raisedAt: instant,
  lastSeenAt: instant,
  lastProgressAt: instant.nullable(),
  lastHealthAt: instant.nullable(),
  lastRenewalAt: instant.nullable(),
  resolvedAt: instant.nullable(),
  resolution: z.enum(ALARM_RESOLUTIONS).nullable(),
}) satisfies z.ZodType<Alarm>;

export const ALARM_CODE = {
  "alarm ls": {
    input: z.strictObject({
      kind: z.enum(ALARM_KINDS).optional(),
      subject: z.string().min(1).max(200).optional(),
      all: z.boolean().default(false),
      limit: pageLimit,
      after: cursor.optional(),
    }),
    output: z.strictObject({ alarms: z.array(alarm), open: count, next: cursor.nullable() }),
    query: listAlarms,
  } satisfies QueryCode<ListAlarmsInput, AlarmPage>,
  "alarm show": {
    input: z.strictObject({ alarm: alarmPrefix }),
    output: alarm,
    query: showAlarm,
  } satisfies QueryCode<{ alarm: string }, Alarm>,
};
