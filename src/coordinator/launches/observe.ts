/**
 * reportObservation: whether the harness's session is busy, available or ended, by the newest
 * evidence. It moves no lease and no deadline.
 *
 *   out   the observation as it stands
 *   throws `wrong_state` for a launch that is over
 */
import type { Caller, Transaction } from "../commit/transaction.ts";
import { refuseEnded, refuseOthersLaunch } from "./own-launch.ts";
import { readLaunch } from "./read-launches.ts";
import { type Activity, type Observation, readObservation } from "./read-reports.ts";

export interface ObserveInput {
  readonly launch: string;
  readonly activity: Activity;
  /** What it was seen by: `hook:Stop`, `app-server`, `pane`. */
  readonly source: string;
}

const OBSERVE = `
  INSERT INTO observation (launch, activity, source, since, at)
  VALUES (@launch, @activity, @source, @now, @now)
      ON CONFLICT (launch) DO UPDATE
     SET since = iif(activity = excluded.activity, since, excluded.since),
         activity = excluded.activity, source = excluded.source, at = excluded.at`;

export function reportObservation(tx: Transaction, caller: Caller, input: ObserveInput): Observation {
  const { launch, activity, source } = input;
  const found = readLaunch(tx, launch);
  refuseOthersLaunch(found, caller);
  refuseEnded(found);
  const before = tx.get<{ activity: Activity }>("SELECT activity FROM observation WHERE launch = @launch", {
    launch,
  });
  tx.run(OBSERVE, { launch, activity, source, now: tx.now });
  if (before?.activity !== activity) {
    tx.emit({ type: "launch.observed", entity: launch, payload: { activity, source } });
  }
  return readObservation(tx, launch);
}
