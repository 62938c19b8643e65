/**
 * showLaunch: the receipt of a launch, its history and what was reported of it.
 *
 * A launch that is over may name a generation that nobody has any more: that is history, and is
 * shown as it was written.
 */
import type { Reading } from "../commit/statements.ts";
import { type OpenAlarm, openAlarmsOfLaunch } from "../tasks/open-alarms.ts";
import { findLaunch } from "./find-launch.ts";
import { type Intent, type Launch, readIntent, readLaunch } from "./read-launches.ts";
import {
  findObservation,
  type Health,
  type LaunchHistoryEntry,
  type Observation,
  type Readiness,
  readAllHealth,
  readAllReadiness,
  readLaunchHistory,
} from "./read-reports.ts";

export interface ShownLaunch extends Launch {
  readonly asked: Intent;
  readonly history: readonly LaunchHistoryEntry[];
  /** The standing one first. */
  readonly readiness: readonly Readiness[];
  readonly health: readonly Health[];
  readonly observation: Observation | null;
  readonly alarms: readonly OpenAlarm[];
}

/** `not_found`, `ambiguous_prefix`. */
export function showLaunch(reading: Reading, prefix: string): ShownLaunch {
  const launch = findLaunch(reading, prefix);
  const row = readLaunch(reading, launch);
  return {
    ...row,
    asked: readIntent(reading, row.intent),
    history: readLaunchHistory(reading, launch),
    readiness: readAllReadiness(reading, launch),
    health: readAllHealth(reading, launch),
    observation: findObservation(reading, launch),
    alarms: openAlarmsOfLaunch(reading, launch),
  };
}
