/** Schemas and code of the operations on the scope itself. */
import { z } from "zod";
import { type EnrollInput, type Enrollment, enroll } from "../../coordinator/actors/enroll.ts";
import {
  type Actor,
  type ActorPage,
  type ListActorsInput,
  listActors,
} from "../../coordinator/actors/read-actors.ts";
import { type RevokeInput, revoke } from "../../coordinator/actors/revoke.ts";
import { type Pause, type PauseInput, pauseScope, resumeScope } from "../../coordinator/pause/hold-scope.ts";
import { type SetSettingInput, setSetting } from "../../coordinator/settings/set-setting.ts";
import type { SettingKey } from "../../coordinator/settings/setting-table.ts";
import {
  listSettings,
  SETTING_KEYS,
  type SettingView,
  showSetting,
} from "../../coordinator/settings/show-settings.ts";
import { type EventPage, type ListEventsInput, listEvents } from "../../coordinator/status/list-events.ts";
import type { CommandCode, QueryCode } from "./operation-code.ts";
import { actorId, count, instant, line, pageLimit } from "./schema-parts.ts";

const nothing = z.strictObject({});
const consumer = z.enum(["channel", "hook", "script"]);
const actorKind = z.enum(["owner", "operator", "lead", "worker"]);

export const pause = z.strictObject({
  heldBy: actorId,
  process: z.strictObject({ pid: count, startTime: z.string(), boot: z.string() }).nullable(),
  reason: z.string(),
  since: instant,
}) satisfies z.ZodType<Pause>;

const key = z.enum(SETTING_KEYS);
const setting = z.strictObject({
  key,
  value: z.int(),
  default: z.int(),
  unit: z.enum(["ms", "count"]),
  least: z.int(),
  most: z.int(),
  brief: z.string(),
  origin: z.enum(["default", "explicit"]),
  setBy: actorId.nullable(),
  setAt: instant.nullable(),
}) satisfies z.ZodType<SettingView>;

const actor = z.strictObject({
  actor: actorId,
  kind: actorKind,
  label: z.string(),
  revision: count,
  consumer,
  state: z.enum(["active", "superseded", "revoked"]),
  enrolledAt: instant,
  endedAt: instant.nullable(),
  sessions: z.array(z.strictObject({ session: z.string(), firstSeenAt: instant })),
}) satisfies z.ZodType<Actor>;

const event = z.strictObject({
  seq: count,
  type: z.string(),
  entity: z.string(),
  payload: z.record(z.string(), z.json()),
  at: instant,
});

export const SCOPE_CODE = {
  events: {
    input: z.strictObject({ since: count.default(0), limit: pageLimit }),
    output: z.strictObject({
      events: z.array(event),
      next: count,
      isMore: z.boolean(),
      missing: z.strictObject({ first: count, last: count }).nullable(),
    }) as z.ZodType<EventPage>,
    query: listEvents,
  } satisfies QueryCode<ListEventsInput, EventPage>,
  pause: {
    input: z.strictObject({
      reason: line,
      process: z
        .strictObject({
          pid: z.int().min(1),
          startTime: z.string().min(1).max(100),
          boot: z.string().min(1).max(200),
        })
        .optional(),
    }),
    output: pause,
    run: pauseScope,
  } satisfies CommandCode<PauseInput, Pause>,
  resume: {
    input: nothing,
    output: z.strictObject({ ended: pause.nullable() }),
    run: resumeScope,
  } satisfies CommandCode<Record<never, never>, { readonly ended: Pause | null }>,
  "settings ls": {
    input: nothing,
    output: z.strictObject({ settings: z.array(setting) }),
    query: listSettings,
  } satisfies QueryCode<Record<never, never>, { readonly settings: readonly SettingView[] }>,
  "settings get": {
    input: z.strictObject({ key }),
    output: setting,
    query: showSetting,
  } satisfies QueryCode<{ key: SettingKey }, SettingView>,
  "settings set": {
    input: z.strictObject({
      key,
      value: z.union([z.string().max(20), z.int()]).optional(),
      toDefault: z.boolean().default(false),
    }),
    output: setting,
    run: setSetting,
  } satisfies CommandCode<SetSettingInput, SettingView>,
  enroll: {
    input: z.strictObject({
      kind: z.enum(["lead", "worker"]),
      label: line,
      consumer: consumer.default("script"),
      actor: actorId.optional(),
      capabilityDigest: z.string().regex(/^[0-9a-f]{64}$/, "SHA-256 of the secret, in hex"),
    }),
    output: z.strictObject({ actor: actorId, kind: actorKind, label: z.string(), revision: count, consumer }),
    run: (tx, _caller, input) => enroll(tx, input),
  } satisfies CommandCode<EnrollInput, Enrollment>,
  revoke: {
    input: z.strictObject({ actor: actorId, reason: line.optional() }),
    output: actor,
    run: revoke,
  } satisfies CommandCode<RevokeInput, Actor>,
  "actor ls": {
    input: z.strictObject({
      kind: actorKind.optional(),
      all: z.boolean().default(false),
      after: actorId.optional(),
      limit: pageLimit,
    }),
    output: z.strictObject({ actors: z.array(actor), next: actorId.nullable() }),
    query: listActors,
  } satisfies QueryCode<ListActorsInput, ActorPage>,
};
