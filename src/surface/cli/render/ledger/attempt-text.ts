/** An attempt for people: who holds what, by which fence, until when, and whether it is to stop. */
import { secondText, termText } from "../quantities.ts";
import type { Style } from "../style.ts";
import { facts } from "../table.ts";
import { cellText } from "../value-text.ts";
import type { OutputOf } from "./operation-output.ts";

type Attempt = OutputOf<"attempt finish">;
type Hold = OutputOf<"attempt claim">;

export function holdText(hold: Hold, style: Style): string {
  const { leaseUntil, leaseMs, progressTimeoutMs, cancelRequested, cancelReason } = hold;
  return facts(
    [
      ...attemptFacts(hold),
      ["lease", `${termText(leaseMs)}, until ${secondText(leaseUntil)} UTC`],
      ["alarm", `after ${termText(progressTimeoutMs)} without progress`],
      ...(cancelRequested
        ? [["cancel", `was asked for${cancelReason === null ? "" : `: ${cancelReason}`}`] as const]
        : []),
    ],
    style,
  );
}

export function attemptText(attempt: Attempt, style: Style): string {
  const { endedAt, result } = attempt;
  return facts(
    [
      ...attemptFacts(attempt),
      ["ended", `${cellText(endedAt)} UTC`],
      ...(result === null ? [] : [["result", cellText(result)] as const]),
    ],
    style,
  );
}

function attemptFacts(attempt: Attempt): (readonly [string, string])[] {
  const { task, fence, state, actor, launch, progressAt, progressNote } = attempt;
  return [
    ["task", task],
    ["fence", String(fence)],
    ["state", `${state}, by ${actor}${launch === null ? "" : ` in launch ${launch}`}`],
    ["progress", `${secondText(progressAt)} UTC${progressNote === null ? "" : `: ${progressNote}`}`],
  ];
}
