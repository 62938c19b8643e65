/** Operations on attempts, as data. */
import type { OperationRow } from "./operation-row.ts";

const task = {
  form: "text",
  placeholder: "TASK",
  brief: "id of a task, or a unique beginning of one",
  position: 0,
  required: true,
} as const;

export const ATTEMPT_ROWS = {
  "attempt claim": {
    name: "attempt claim",
    kind: "command",
    callers: ["worker"],
    brief: "take an open task",
    description: "Exactly one caller wins; the others are told the holder and its fence.",
    fields: { task },
    examples: [
      { line: "swarm-gen attempt claim t-5c1b --capability worker.key", brief: "as an enrolled worker" },
    ],
  },
} as const satisfies Record<string, OperationRow>;
