/** Schemas of what the commands on a scope's owner print. */
import { z } from "zod";
import type { OwnerDescriptor } from "../../client/client.ts";
import { STATUS_CODE } from "../ledger/status-code.ts";
import type { OwnerLogs, OwnerStarted, OwnerStatus, OwnerStopped } from "../scope/owner-control.ts";
import type { ScopeStatus } from "../scope-status.ts";

const count = z.int().min(0);
const instant = z.iso.datetime().describe("ISO 8601, UTC");

const scope = {
  scope: z.string().describe("first 12 hex digits of SHA-256(root NUL profile)"),
  root: z.string().describe("the project: the parent of git's common folder"),
  profile: z.string(),
};

const owner = z.strictObject({
  ...scope,
  instance: z.string().describe("the ledger's"),
  generation: z.string().nullable().describe("that it runs from; null for a build outside of the store"),
  build: z.string(),
  api: z.tuple([count, count]).readonly().describe("oldest and newest version that it speaks"),
  probation: z.boolean().describe("it was started while admission was closed"),
  tcpPort: count.nullable().describe("on 127.0.0.1, where it serves there too"),
  schema: z.strictObject({ major: count, minor: count }),
  process: z.strictObject({ pid: count, startTime: z.string(), boot: z.string() }),
  startedAt: instant,
  state: z.enum(["serving", "stopping"]),
}) satisfies z.ZodType<OwnerDescriptor>;

const started = z.strictObject({
  ...scope,
  started: z.boolean().describe("false where one served already"),
  owner,
}) satisfies z.ZodType<OwnerStarted>;

const status = z.strictObject({
  ...scope,
  state: z.enum(["none", "stopped", "running", "unresponsive"]),
  folder: z.string().describe("of the ledger, the lock, the keys and the logs"),
  endpoint: z.string().nullable().describe("the socket, as the last owner recorded it"),
  owner: owner.nullable(),
}) satisfies z.ZodType<OwnerStatus>;

const logs = z.strictObject({
  ...scope,
  file: z.string(),
  lines: z.array(z.string()).describe("JSON objects, oldest first"),
}) satisfies z.ZodType<OwnerLogs>;

const stopped = z.strictObject({
  ...scope,
  stopped: z.boolean().describe("false where none ran"),
  pid: count.nullable(),
}) satisfies z.ZodType<OwnerStopped>;

// What the owner answers to `status`, with the owner itself.
const scopeStatus = STATUS_CODE.status.output.extend({
  owner: owner.nullable().describe("null where none runs: all else is as the last one left it"),
}) satisfies z.ZodType<ScopeStatus>;

export const OWNER_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  "owner-start": started,
  "owner-status": status,
  "owner-logs": logs,
  "owner-stop": stopped,
  "scope-status": scopeStatus,
};
