/**
 * sweepLaunchDeadlines: a launch whose deadline passed is uncertain, with an alarm; one that asked
 * nothing of a host yet has failed, since nothing can run of it. `launch-machine.ts` says which.
 */
import type { AlarmKind } from "../alarms/alarm-kinds.ts";
import { raiseAlarm } from "../alarms/raise-alarm.ts";
import type { Transaction } from "../commit/transaction.ts";
import { decideLaunch, type LaunchState } from "../launches/launch-machine.ts";
import { moveLaunch } from "../launches/move-launch.ts";
import { afterAbsence } from "./after-absence.ts";

interface Due {
  readonly launch: string;
  readonly state: LaunchState;
  readonly deadlineAt: number;
  readonly createdBy: string;
}

const DUE = `
  SELECT launch.id AS launch, state, deadline_at AS deadlineAt, intent.created_by AS createdBy
    FROM launch INDEXED BY launch_by_deadline JOIN intent ON intent.id = launch.intent
   WHERE deadline_at IS NOT NULL AND deadline_at <= @now LIMIT 500`;

const ALARM_OF: Partial<Record<LaunchState, AlarmKind>> = {
  starting: "readiness_timeout",
  awaiting_worker_ready: "readiness_timeout",
  startup_blocked: "startup_blocked",
};

/** How many launches it moved. */
export function sweepLaunchDeadlines(tx: Transaction): number {
  const due = tx.all<Due>(DUE, { now: tx.now });
  let moved = 0;
  for (const { launch, state, deadlineAt, createdBy } of due) {
    const decision = decideLaunch({ state, deadlineAt }, { type: "deadline" }, tx.now);
    if (decision.type !== "moved") continue;
    const reason = `its deadline passed while it was ${state}`;
    if (!moveLaunch(tx, { launch, from: state, to: decision.to, source: "sweep", reason })) continue;
    moved += 1;
    const kind = ALARM_OF[state];
    if (kind === undefined) continue;
    raiseAlarm(tx, {
      subjectKind: "launch",
      subject: launch,
      kind,
      detail: `Launch ${launch} was ${state} until its deadline${afterAbsence(tx)}; its challenge stays on offer.`,
      requester: createdBy,
    });
  }
  return moved;
}
