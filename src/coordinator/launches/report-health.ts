/**
 * reportHealth: how one part of a launch does. Writes its own columns alone: no state that means
 * something else lives in a row that a heartbeat rewrites, and no lease or deadline moves.
 *
 *   out   the report as it stands
 *   throws `wrong_state` for a launch that is over: who reports stops
 *
 * A part that is blocked for one of the alarms that are its own to raise raises it; once it works
 * again, all of those are resolved. That a part is unknown is nobody's sign of life: it moves no time
 * at which the part was heard. The feed hears of changes, not of heartbeats.
 */
import type { AlarmKind } from "../alarms/alarm-kinds.ts";
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
     SET state = excluded.state, reason = excluded.reason, at = iif(excluded.state = 'unknown', at, excluded.at),
         pid = coalesce(excluded.pid, pid), start_time = coalesce(excluded.start_time, start_time),
         boot = coalesce(excluded.boot, boot)`;

/** What a part may be blocked by; it is settled once that part works again. */
const RAISED_BY: Readonly<Record<HealthPart, readonly AlarmKind[]>> = {
  wrapper: ["supervision_lost", "generation_tampered", "host_lost"],
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
  const kind = RAISED_BY[part].find((raised) => raised === reason);
  if (state === "connected" || state === "ready") settle(tx, launch, RAISED_BY[part]);
  else if (part === "wrapper" && state === "blocked") settle(tx, launch, ["supervision_lost"]);
  if (state === "blocked" && kind !== undefined) alarm(tx, found, { part, kind });
  return readHealth(tx, { launch, part });
}

function settle(tx: Transaction, launch: string, kinds: readonly AlarmKind[]): void {
  resolveAlarms(tx, { subjectKind: "launch", subject: launch, kinds, resolution: "recovery" });
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
