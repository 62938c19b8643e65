/** Schemas of what intents, launches and reports of them look like in outputs. */
import { z } from "zod";
import { LAUNCH_STATES } from "../../coordinator/launches/launch-machine.ts";
import { count, instant, launchId, taskId } from "./schema-parts.ts";

export const launchState = z.enum(LAUNCH_STATES);
export const startup = z.enum(["approved", "development"]);
export const mode = z.enum(["interactive", "stream"]);
export const healthPart = z.enum(["wrapper", "mcp", "harness", "hooks"]);
export const healthState = z.enum(["connected", "ready", "blocked", "unknown"]);
export const activity = z.enum(["busy", "available", "ended"]);
/** Values are whole numbers, texts, truths and lists of them, so that a digest of them is theirs. */
const selectionValue = z.union([z.string().max(4096), z.boolean(), z.int(), z.null()]);
export const selection = z.record(
  z.string().regex(/^[a-z][A-Za-z]{0,31}$/),
  z.union([selectionValue, z.array(selectionValue).max(256)]),
);

export const launchSummary = z.strictObject({
  launch: launchId,
  intent: z.string(),
  task: taskId,
  state: launchState,
  reason: z.string().nullable(),
  actor: z.string().nullable(),
  generation: z.string(),
  harness: z.string(),
  hostKind: z.string(),
  createdAt: instant,
  changedAt: instant,
  endedAt: instant.nullable(),
});

export const launch = launchSummary.extend({
  revision: count.nullable(),
  ownerGeneration: z.string(),
  endpoint: z.string(),
  scopeInstance: z.string(),
  harnessVersion: z.string().nullable(),
  harnessDigest: z.string().nullable(),
  startup,
  mode,
  model: z.string().nullable(),
  effort: z.string().nullable(),
  reportedModel: z.string().nullable(),
  argv: z.array(z.string()),
  envNames: z.array(z.string()),
  cwd: z.string(),
  hostSocket: z.string().nullable(),
  hostHandle: z.string().nullable(),
  deadlineAt: instant.nullable(),
});

export const intent = z.strictObject({
  intent: z.string(),
  fingerprint: z.string(),
  task: taskId,
  requested: selection,
  resolved: selection,
  origins: z.record(z.string(), z.string()),
  createdBy: z.string(),
  createdAt: instant,
});

export const readiness = z.strictObject({
  mcpInstance: z.string(),
  nativeSession: z.string(),
  issuedAt: instant,
  answeredAt: instant.nullable(),
  voidedAt: instant.nullable(),
  fence: count.nullable(),
});

export const health = z.strictObject({
  part: healthPart,
  state: healthState,
  reason: z.string().nullable(),
  pid: count.nullable(),
  startTime: z.string().nullable(),
  boot: z.string().nullable(),
  at: instant,
});

export const observation = z.strictObject({ activity, source: z.string(), at: instant });

export const historyEntry = z.strictObject({
  seq: count,
  at: instant,
  source: z.string(),
  state: launchState,
  detail: z.record(z.string(), z.unknown()),
});
