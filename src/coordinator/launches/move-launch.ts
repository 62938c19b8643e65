/**
 * moveLaunch: the one way in which a launch changes its state, with all that follows from it.
 *
 *   in    the launch, the state it is taken to be in, and the next one
 *   out   whether it moved; false when its state is another by now
 *
 * A launch event is appended, deadlines are set, and alarms that the new state settles are resolved.
 * An end frees the task that its attempt still held, and ends its worker's enrollment and mail. An
 * abandoned launch is fenced for ever, so its task's fence moves on and a late word of its worker is
 * stale.
 */
import { resolveAlarms } from "../alarms/raise-alarm.ts";
import { abandonOfLaunch } from "../attempts/abandon.ts";
import type { Transaction } from "../commit/transaction.ts";
import { endWorker } from "./end-worker.ts";
import { isLaunchEnd, type LaunchState } from "./launch-machine.ts";
import { termOf } from "./launch-terms.ts";

export interface LaunchMove {
  readonly launch: string;
  readonly from: LaunchState;
  readonly to: LaunchState;
  /** `launcher`, `worker`, `operator` or `sweep`. */
  readonly source: string;
  readonly reason: string | null;
  /** Its own deadline in the new state; absent is the setting's. */
  readonly termMs?: number | undefined;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

const MOVE = `
  UPDATE launch SET state = @to, reason = @reason, changed_at = @now, term_ms = @termMs,
                    deadline_at = @now + @termMs, ended_at = iif(@isEnd, @now, NULL)
   WHERE id = @launch AND state = @from`;

export function moveLaunch(
  tx: Transaction,
  { launch, from, to, source, reason, ...move }: LaunchMove,
): boolean {
  const term = termOf(tx, to);
  const moved = tx.run(MOVE, {
    launch,
    from,
    to,
    reason,
    now: tx.now,
    termMs: term === null ? null : (move.termMs ?? term),
    isEnd: isLaunchEnd(to) ? 1 : 0,
  });
  if (moved === 0) return false;
  appendLaunchEvent(tx, { launch, state: to, source, detail: { from, reason, ...move.detail } });
  if (to === "bound") resolve(tx, launch, "recovery");
  if (isLaunchEnd(to)) end(tx, { launch, to, source });
  return true;
}

const SETTLED_BY_BINDING = ["readiness_timeout", "startup_blocked"] as const;

function resolve(tx: Transaction, launch: string, resolution: "recovery" | "end"): void {
  const kinds = resolution === "end" ? "all" : SETTLED_BY_BINDING;
  resolveAlarms(tx, { subjectKind: "launch", subject: launch, kinds, resolution });
}

function end(tx: Transaction, { launch, to, source }: Pick<LaunchMove, "launch" | "to" | "source">): void {
  resolve(tx, launch, "end");
  abandonOfLaunch(tx, launch, `its launch ${launch} was ${to}`);
  endWorker(tx, { launch, by: source, reason: `launch ${launch} was ${to}` });
  if (to !== "abandoned") return;
  tx.run(
    "UPDATE task SET last_fence = last_fence + 1 WHERE id = (SELECT task FROM launch WHERE id = @launch)",
    {
      launch,
    },
  );
}

export interface NewLaunchEvent {
  readonly launch: string;
  readonly state: LaunchState;
  readonly source: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const APPEND = `
  INSERT INTO launch_event (launch, seq, at, source, state, detail)
  SELECT @launch, coalesce(max(seq), 0) + 1, @now, @source, @state, @detail
    FROM launch_event WHERE launch = @launch`;

/** To the launch's own history, and to the feed. */
export function appendLaunchEvent(tx: Transaction, { launch, state, source, detail }: NewLaunchEvent): void {
  tx.run(APPEND, { launch, state, source, detail: JSON.stringify(detail), now: tx.now });
  tx.emit({ type: `launch.${state}`, entity: launch, payload: { source, ...detail } });
}
