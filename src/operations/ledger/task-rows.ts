/** Operations on tasks, as data. */
import type { OperationRow } from "./operation-row.ts";

export const TASK_ROWS = {
  "task add": {
    name: "task add",
    kind: "command",
    callers: ["operator", "lead"],
    brief: "add a task that a worker may claim",
    description: "It can be claimed once the tasks that it depends on are completed.",
    fields: {
      title: { form: "text", placeholder: "TITLE", brief: "one line", position: 0, required: true },
      brief: {
        form: "json",
        placeholder: "JSON",
        brief: "objective, worktree, acceptance, limits, durationMs; or @FILE",
        required: true,
      },
      dependsOn: { form: "list", placeholder: "TASK,…", brief: "tasks to be completed before" },
      progressTimeoutMs: {
        form: "duration",
        placeholder: "TIME",
        brief: "alarm after this long without progress",
      },
    },
    examples: [
      {
        line: `swarm-gen task add "Port the parser" --brief '{"objective":"Port the parser to the new grammar"}'`,
        brief: "with an objective alone",
      },
      {
        line: "swarm-gen task add Release --brief @release.json --depends-on t-1,t-2",
        brief: "after two others",
      },
    ],
  },
} as const satisfies Record<string, OperationRow>;
