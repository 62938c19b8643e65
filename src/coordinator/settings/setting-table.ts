/** The owner's settings: what each is, its default, and its bounds. A value is kept as text. */
export interface SettingRow {
  readonly default: number;
  readonly unit: "ms" | "count";
  readonly least: number;
  readonly most: number;
  readonly brief: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const SETTINGS = {
  "task.lease": span(60 * SECOND, SECOND, DAY, "how long a claim holds a task without a renewal"),
  "task.progress-timeout": span(15 * MINUTE, SECOND, 30 * DAY, "how long a task may show no progress"),
  "inbox.lease": span(30 * SECOND, SECOND, DAY, "how long a message is leased to its consumer"),
  "inbox.attempts": count(5, 1, 100, "deliveries of a message before it is dead"),
  "inbox.backoff": span(SECOND, 1, HOUR, "the wait before a second delivery; it doubles"),
  "inbox.backoff-most": span(60 * SECOND, 1, DAY, "the longest wait between deliveries"),
  "inbox.unpresented": span(
    15 * SECOND,
    SECOND,
    HOUR,
    "how long an available session may leave a message unseen",
  ),
  "inbox.capacity": count(1000, 1, 100_000, "messages that wait for one recipient"),
  "launch.readiness-deadline": span(60 * SECOND, SECOND, DAY, "how long a worker may take to prove itself"),
  "launch.blocked-deadline": span(30 * MINUTE, SECOND, 7 * DAY, "how long a dialog may wait for a person"),
  "launch.stop-deadline": span(60 * SECOND, SECOND, DAY, "how long a stop may take to be proven"),
  "worker.busy-limit": span(HOUR, SECOND, 7 * DAY, "how long a busy session is believed to be busy"),
  "worker.silence": span(45 * SECOND, SECOND, HOUR, "how long a wrapper may be silent"),
  "api.tcp-port": count(0, 0, 65_535, "port on 127.0.0.1 from the owner's next start on; 0 for none"),
  "retention.settled": span(30 * DAY, HOUR, 3650 * DAY, "how long settled rows are kept whole"),
  "retention.events": count(200_000, 1_000, 10_000_000, "events that the feed keeps"),
  "alarm.unresolved": count(100, 1, 100_000, "uncertain launches and uncertain or dead messages that alarm"),
} as const satisfies Record<string, SettingRow>;

export type SettingKey = keyof typeof SETTINGS;

function span(value: number, least: number, most: number, brief: string): SettingRow {
  return { default: value, unit: "ms", least, most, brief };
}

function count(value: number, least: number, most: number, brief: string): SettingRow {
  return { default: value, unit: "count", least, most, brief };
}
