/** How long a launch may stay in a state before its deadline, by the owner's settings. */
import type { Reading } from "../commit/statements.ts";
import { setting } from "../settings/read-settings.ts";
import { hasDeadline, type LaunchState } from "./launch-machine.ts";

/** Milliseconds; null for a state that no deadline ends. */
export function termOf(reading: Reading, state: LaunchState): number | null {
  if (!hasDeadline(state)) return null;
  return setting(
    reading,
    state === "startup_blocked" ? "launch.blocked-deadline" : "launch.readiness-deadline",
  );
}
