/** How long a launch may stay in a state before its deadline, by the owner's settings. */
import type { Reading } from "../commit/statements.ts";
import { setting } from "../settings/read-settings.ts";
import type { SettingKey } from "../settings/setting-table.ts";
import { hasDeadline, type LaunchState } from "./launch-machine.ts";

/** Milliseconds; null for a state that no deadline ends. */
export function termOf(reading: Reading, state: LaunchState): number | null {
  if (!hasDeadline(state)) return null;
  return setting(reading, TERM_OF[state] ?? "launch.readiness-deadline");
}

const TERM_OF: Partial<Record<LaunchState, SettingKey>> = {
  startup_blocked: "launch.blocked-deadline",
  stopping: "launch.stop-deadline",
};
