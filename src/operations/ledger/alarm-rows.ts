/** Operations on alarms, as data. They are raised and resolved by what is seen, by no command. */
import type { OperationRow } from "./operation-row.ts";

export const ALARM_ROWS = {
  "alarm ls": {
    name: "alarm ls",
    kind: "query",
    callers: ["operator", "lead", "worker"],
    brief: "list what needs a look, the newest first",
    description: "Open alarms alone, unless all are asked for.",
    fields: {
      kind: { form: "text", placeholder: "KIND", brief: "of this kind alone, like stale_progress" },
      subject: { form: "text", placeholder: "ID", brief: "about this attempt, launch or scope alone" },
      all: { form: "switch", placeholder: "", brief: "resolved ones too, after the open ones" },
      limit: { form: "count", placeholder: "N", brief: "at most this many; 100 if absent" },
      after: { form: "text", placeholder: "CURSOR", brief: "go on after the page that named it as next" },
    },
    examples: [
      { line: "swarm-gen alarm ls", brief: "what is open" },
      { line: "swarm-gen alarm ls --kind stale_progress --all", brief: "one kind, with its history" },
    ],
  },
  "alarm show": {
    name: "alarm show",
    kind: "query",
    callers: ["operator", "lead", "worker"],
    brief: "show an alarm with its times",
    fields: {
      alarm: {
        form: "text",
        placeholder: "ALARM",
        brief: "id of an alarm, or a unique beginning of one",
        position: 0,
        required: true,
      },
    },
    examples: [{ line: "swarm-gen alarm show al-5c1b90aa31f4", brief: "one that alarm ls listed" }],
  },
} as const satisfies Record<string, OperationRow>;
