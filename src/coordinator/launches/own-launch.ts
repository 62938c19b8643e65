/** A worker speaks for its own launch alone, with the enrollment that was made for it. */
import { CodedError } from "../../kernel/errors.ts";
import type { Caller } from "../commit/transaction.ts";
import { isLaunchEnd } from "./launch-machine.ts";
import type { Launch } from "./read-launches.ts";

/** `forbidden` for a worker that is not the launch's. */
export function refuseOthersLaunch({ launch, actor, revision }: Launch, caller: Caller): void {
  if (caller.kind !== "worker") return;
  if (caller.actor === actor && caller.revision === revision) return;
  throw new CodedError("forbidden", `Launch ${launch} is not ${caller.actor}'s.`, {
    hint: "A worker speaks for its own launch.",
    fields: { launch, changed: false },
  });
}

/** `wrong_state`: nothing is reported of a launch that is over; who still runs for it stops. */
export function refuseEnded({ launch, task, state, endedAt }: Launch): void {
  if (!isLaunchEnd(state)) return;
  throw new CodedError("wrong_state", `Launch ${launch} is ${state} since ${endedAt}.`, {
    hint: "Stop: nobody waits for this launch any more.",
    fields: { launch, task, state, changed: false },
  });
}
