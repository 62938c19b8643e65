/** Schemas and code of the operations on intents and launches. */
import { z } from "zod";
import type { Hold } from "../../coordinator/attempts/hold.ts";
import { type AdvanceLaunchInput, advanceLaunch } from "../../coordinator/launches/advance.ts";
import { type ChallengeInput, issueChallenge } from "../../coordinator/launches/challenge.ts";
import { type CreateIntentInput, createIntent } from "../../coordinator/launches/create-intent.ts";
import { LAUNCH_STATES } from "../../coordinator/launches/launch-machine.ts";
import {
  type IntentPage,
  type ListIntentsInput,
  listIntents,
} from "../../coordinator/launches/list-intents.ts";
import {
  type LaunchPage,
  type ListLaunchesInput,
  listLaunches,
} from "../../coordinator/launches/list-launches.ts";
import { type ObserveInput, reportObservation } from "../../coordinator/launches/observe.ts";
import { type ProvisionLaunchInput, provisionLaunch } from "../../coordinator/launches/provision.ts";
import type { Intent, Launch } from "../../coordinator/launches/read-launches.ts";
import type { Health, Observation, Readiness } from "../../coordinator/launches/read-reports.ts";
import { answerChallenge, type ReadyInput } from "../../coordinator/launches/ready.ts";
import { type ReportHealthInput, reportHealth } from "../../coordinator/launches/report-health.ts";
import { type ReserveLaunchInput, reserveLaunch } from "../../coordinator/launches/reserve.ts";
import { type ShownLaunch, showLaunch } from "../../coordinator/launches/show-launch.ts";
import {
  activity,
  health,
  healthPart,
  healthState,
  historyEntry,
  intent,
  launch,
  launchState,
  launchSummary,
  mode,
  observation,
  readiness,
  selection,
  startup,
} from "./launch-schemas.ts";
import type { CommandCode, QueryCode } from "./operation-code.ts";
import {
  absolutePath,
  actorId,
  cursor,
  digest,
  durationMs,
  intentId,
  launchId,
  launchPrefix,
  line,
  nativeSession,
  pageLimit,
  taskPrefix,
  word,
} from "./schema-parts.ts";
import { hold, openAlarm } from "./task-schemas.ts";

const mcpInstance = word;

export const LAUNCH_CODE = {
  "intent create": {
    input: z.strictObject({
      intent: intentId,
      task: taskPrefix,
      requestedBy: actorId,
      requested: selection,
      resolved: selection,
      origins: z.record(z.string().max(64), z.string().max(200)),
    }),
    output: intent,
    run: createIntent,
  } satisfies CommandCode<CreateIntentInput, Intent>,
  "intent ls": {
    input: z.strictObject({
      task: taskPrefix.optional(),
      limit: pageLimit,
      after: cursor.optional(),
    }),
    output: z.strictObject({ intents: z.array(intent), next: cursor.nullable() }),
    query: (reading, _caller, input) => listIntents(reading, input),
  } satisfies QueryCode<ListIntentsInput, IntentPage>,
  "launch reserve": {
    input: z.strictObject({
      launch: launchId,
      intent: intentId,
      generation: word,
      ownerGeneration: word,
      endpoint: z.string().max(4096),
      harness: word,
      harnessVersion: line.nullable(),
      harnessDigest: word.nullable(),
      startup,
      mode,
      model: line.nullable(),
      effort: word.nullable(),
      argv: z.array(z.string().max(32_768)).max(256),
      envNames: z.array(z.string().max(256)).max(1024),
      cwd: absolutePath,
      hostKind: word,
      hostSocket: z.string().max(4096).nullable(),
      termMs: durationMs.optional(),
    }),
    output: launch,
    run: reserveLaunch,
  } satisfies CommandCode<ReserveLaunchInput, Launch>,
  "launch provision": {
    input: z.strictObject({
      launch: launchId,
      label: line,
      capabilityDigest: digest,
      termMs: durationMs.optional(),
    }),
    output: launch,
    run: provisionLaunch,
  } satisfies CommandCode<ProvisionLaunchInput, Launch>,
  "launch advance": {
    input: z.strictObject({
      launch: launchId,
      from: launchState,
      to: launchState,
      reason: z.string().min(1).max(2000).optional(),
      termMs: durationMs.optional(),
      hostSocket: z.string().max(4096).optional(),
      hostHandle: z.string().max(4096).optional(),
      reportedModel: line.optional(),
    }),
    output: launch,
    run: advanceLaunch,
  } satisfies CommandCode<AdvanceLaunchInput, Launch>,
  "launch challenge": {
    input: z.strictObject({ launch: launchId, mcpInstance, nativeSession, challengeDigest: digest }),
    output: readiness,
    run: issueChallenge,
  } satisfies CommandCode<ChallengeInput, Readiness>,
  "launch ready": {
    input: z.strictObject({
      launch: launchId,
      mcpInstance,
      nativeSession,
      nonce: z.string().min(16).max(256),
    }),
    output: hold,
    run: answerChallenge,
  } satisfies CommandCode<ReadyInput, Hold>,
  "launch report": {
    input: z.strictObject({
      launch: launchId,
      part: healthPart,
      state: healthState,
      reason: line.optional(),
      process: z.strictObject({ pid: z.int().min(1), startTime: word, boot: line }).optional(),
    }),
    output: health,
    run: reportHealth,
  } satisfies CommandCode<ReportHealthInput, Health>,
  "launch observe": {
    input: z.strictObject({ launch: launchId, activity, source: line }),
    output: observation,
    run: reportObservation,
  } satisfies CommandCode<ObserveInput, Observation>,
  "launch ls": {
    input: z.strictObject({
      task: taskPrefix.optional(),
      states: z.array(launchState).max(LAUNCH_STATES.length).default([]),
      limit: pageLimit,
      after: cursor.optional(),
    }),
    output: z.strictObject({ launches: z.array(launchSummary), next: cursor.nullable() }),
    query: (reading, _caller, input) => listLaunches(reading, input),
  } satisfies QueryCode<ListLaunchesInput, LaunchPage>,
  "launch show": {
    input: z.strictObject({ launch: launchPrefix }),
    output: launch.extend({
      asked: intent,
      history: z.array(historyEntry),
      readiness: z.array(readiness),
      health: z.array(health),
      observation: observation.nullable(),
      alarms: z.array(openAlarm),
    }),
    query: (reading, _caller, input) => showLaunch(reading, input.launch),
  } satisfies QueryCode<{ readonly launch: string }, ShownLaunch>,
};
