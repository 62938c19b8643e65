/** What an alarm can be about, and what alone ends it. */

export const ALARM_SUBJECT_KINDS = ["attempt", "launch", "scope", "profile"] as const;
export type AlarmSubjectKind = (typeof ALARM_SUBJECT_KINDS)[number];

export const ALARM_KINDS = [
  /** The progress deadline passed, whatever is renewed. */
  "stale_progress",
  "mcp_disconnected",
  /** The wrapper is silent. */
  "supervision_lost",
  /** A dialog or a consent waits for a person. */
  "startup_blocked",
  "readiness_timeout",
  "hooks_missing",
  "harness_changed",
  "generation_tampered",
  "host_lost",
  /** The holder of a closed admission is gone. */
  "admission_orphaned",
  /** What is uncertain or dead grows. */
  "unresolved_growth",
] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

/** Real progress, the thing itself works again, or its subject came to an end. */
export const ALARM_RESOLUTIONS = ["progress", "recovery", "end"] as const;
export type AlarmResolution = (typeof ALARM_RESOLUTIONS)[number];
