/**
 * reportHealth: how one part of a launch does. Writes its own columns alone: no state that means
 * something else lives in a row that a heartbeat rewrites, and no lease or deadline moves.
 *
 *   out   the report as it stands
 *   throws `wrong_state` for a launch that is over: who reports stops
 *
 * A part that is blocked for a reason that is an alarm's kind raises it; a part that works again
 * resolves what it had raised. The feed hears of changes, not of heartbeats.
 */
import { ALARM_KINDS, type AlarmKind } from "../alarms/alarm-kinds.ts";
import { raiseAlarm, resolveAlarms } from "../alarms/raise-alarm.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { refuseEnded, refuseOthersLaunch } from "./own-launch.ts";
import { type Launch, readIntent, readLaunch } from "./read-launches.ts";
import { type Health, type HealthPart, type HealthState, readHealth } from "./read-reports.ts";

export interface ReportHealthInput {
  readonly launch: string;
  readonly part: HealthPart;
  readonly state: HealthState;
  readonly reason?: string | undefined;
  /** Of the part's process; all three or none. */
  readonly process?: { readonly pid: number; readonly startTime: string; readonly boot: string } | undefined;
}

const REPORT = `
  INSERT INTO health (launch, part, state, reason, pid, start_time, boot, at)
  VALUES (@launch, @part, @state, @reason, @pid, @startTime, @boot, @now)
      ON CONFLICT (launch, part) DO UPDATE
     SET state = excluded.state, reason = excluded.reason, at = excluded.at,
         pid = coalesce(excluded.pid, pid), start_time = coalesce(excluded.start_time, start_time),
         boot = coalesce(excluded.boot, boot)`;

/** What a part that works again has settled. */
const SETTLED_BY: Readonly<Record<HealthPart, readonly AlarmKind[]>> = {
  wrapper: ["supervision_lost"],
  mcp: ["mcp_disconnected"],
  harness: ["harness_changed"],
  hooks: ["hooks_missing"],
};

export function reportHealth(tx: Transaction, caller: Caller, input: ReportHealthInput): Health {
  const { launch, part, state, reason = null, process: identity } = input;
  const found = readLaunch(tx, launch);
  refuseOthersLaunch(found, caller);
  refuseEnded(found);
  const before = tx.get<{ state: HealthState; reason: string | null }>(
    "SELECT state, reason FROM health WHERE launch = @launch AND part = @part",
    { launch, part },
  );
  tx.run(REPORT, {
    launch,
    part,
    state,
    reason,
    pid: identity?.pid ?? null,
    startTime: identity?.startTime ?? null,
    boot: identity?.boot ?? null,
    now: tx.now,
  });
  if (before?.state !== state || before.reason !== reason) {
    tx.emit({ type: "launch.reported", entity: launch, payload: { part, state, reason } });
  }
  if (part === "wrapper") settle(tx, launch, "wrapper");
  if (state === "connected" || state === "ready") settle(tx, launch, part);
  if (state === "blocked" && isAlarmKind(reason)) alarm(tx, found, { part, kind: reason });
  return readHealth(tx, { launch, part });
}

function settle(tx: Transaction, launch: string, part: HealthPart): void {
  resolveAlarms(tx, {
    subjectKind: "launch",
    subject: launch,
    kinds: SETTLED_BY[part],
    resolution: "recovery",
  });
}

function alarm(
  tx: Transaction,
  { launch, intent }: Launch,
  { part, kind }: { part: HealthPart; kind: AlarmKind },
): void {
  raiseAlarm(tx, {
    subjectKind: "launch",
    subject: launch,
    kind,
    detail: `The ${part} of launch ${launch} is blocked.`,
    requester: readIntent(tx, intent).createdBy,
    lastHealthAt: tx.now,
  });
}

function isAlarmKind(reason: string | null): reason is AlarmKind {
  return (ALARM_KINDS as readonly (string | null)[]).includes(reason);
}
