/**
 * advanceLaunch: compare and set of a launch's state, by the table of `launch-machine.ts`.
 *
 *   in    launch, the state that the caller takes it to be in, the next one, and what became known
 *   out   the launch
 *   throws `wrong_state` naming the real state: the compare-and-set was lost, and the loser stops
 *
 * `provisioned` and `bound` have operations of their own, since more than a word moves there; only a
 * launch whose answered readiness still stands is bound again from `uncertain`. A worker moves its
 * own launch alone, and only to what it knows best: that it runs, that a person must look, that its
 * harness ended.
 */
import { CodedError } from "../../kernel/errors.ts";
import { raiseAlarm } from "../alarms/raise-alarm.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { decideLaunch, type LaunchState } from "./launch-machine.ts";
import { moveLaunch } from "./move-launch.ts";
import { refuseOthersLaunch } from "./own-launch.ts";
import { type Launch, readIntent, readLaunch } from "./read-launches.ts";
import { isReadinessStanding } from "./standing-readiness.ts";

export interface AdvanceLaunchInput {
  readonly launch: string;
  readonly from: LaunchState;
  readonly to: LaunchState;
  readonly reason?: string | undefined;
  readonly termMs?: number | undefined;
  readonly hostSocket?: string | undefined;
  readonly hostHandle?: string | undefined;
  readonly reportedModel?: string | undefined;
}

const OF_WORKER: readonly LaunchState[] = ["awaiting_worker_ready", "startup_blocked", "stopping"];

const LEARN = `
  UPDATE launch SET host_socket = coalesce(@hostSocket, host_socket),
                    host_handle = coalesce(@hostHandle, host_handle),
                    reported_model = coalesce(@reportedModel, reported_model)
   WHERE id = @launch`;

export function advanceLaunch(tx: Transaction, caller: Caller, input: AdvanceLaunchInput): Launch {
  const { launch, from, to, reason = null, termMs } = input;
  const found = readLaunch(tx, launch);
  refuseOthersLaunch(found, caller);
  if (caller.kind === "worker" && !OF_WORKER.includes(to)) throw reserved(found, to);
  if (to === "provisioned" || (to === "bound" && !isReadinessStanding(tx, launch))) throw reserved(found, to);
  const facts = { state: found.state, deadlineAt: null };
  const decision = decideLaunch(facts, { type: "advance", from, to }, tx.now);
  if (
    decision.type !== "moved" ||
    !moveLaunch(tx, { launch, from, to, source: caller.kind, reason, termMs })
  ) {
    throw lost(found, { from, to });
  }
  tx.run(LEARN, {
    launch,
    hostSocket: input.hostSocket ?? null,
    hostHandle: input.hostHandle ?? null,
    reportedModel: input.reportedModel ?? null,
  });
  if (to === "startup_blocked") {
    raiseAlarm(tx, {
      subjectKind: "launch",
      subject: launch,
      kind: "startup_blocked",
      detail: `Launch ${launch} waits for a person: ${reason ?? "a dialog is open"}.`,
      requester: readIntent(tx, found.intent).createdBy,
    });
  }
  return readLaunch(tx, launch);
}

function lost(
  { launch, task, state }: Launch,
  { from, to }: { from: LaunchState; to: LaunchState },
): CodedError {
  const message =
    state === from
      ? `Launch ${launch} is ${state}, which does not lead to ${to}.`
      : `Launch ${launch} is ${state} by now, not ${from}.`;
  return new CodedError("wrong_state", message, {
    hint: "Read the launch again and decide from its state.",
    fields: { launch, task, state, from, to, changed: false },
  });
}

function reserved({ launch, task, state }: Launch, to: LaunchState): CodedError {
  return new CodedError("forbidden", `Launch ${launch} does not become ${to} by anybody's word.`, {
    hint: to === "bound" ? "Its worker answers the challenge." : "The launcher moves it there.",
    fields: { launch, task, state, to, changed: false },
  });
}
