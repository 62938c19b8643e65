/** Operations on tasks, as data. */
import type { OperationRow } from "./operation-row.ts";

const task = {
  form: "text",
  placeholder: "TASK",
  brief: "id of a task, or a unique beginning of one",
  position: 0,
  required: true,
} as const;

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
  "task ls": {
    name: "task ls",
    kind: "query",
    callers: ["operator", "lead", "worker", "launcher"],
    brief: "list tasks, newest first",
    fields: {
      states: { form: "list", placeholder: "STATE,…", brief: "only those in these states" },
      limit: { form: "count", placeholder: "N", brief: "how many, at most 500; 100 where not said" },
      after: { form: "text", placeholder: "CURSOR", brief: "go on after the page that named it as next" },
    },
    examples: [{ line: "swarm-gen task ls --states open,running", brief: "what is not over" }],
  },
  "task show": {
    name: "task show",
    kind: "query",
    callers: ["operator", "lead", "worker", "launcher"],
    brief: "a task with its attempts, launches and open alarms",
    fields: { task },
    examples: [{ line: "swarm-gen task show t-5c1b", brief: "by the beginning of its id" }],
  },
  "task cancel": {
    name: "task cancel",
    kind: "command",
    callers: ["operator", "lead"],
    brief: "cancel an open task, or ask the holder of a running one to stop",
    description: "The holder hears of it with its next renewal or progress, and ends the task itself.",
    fields: {
      task,
      reason: { form: "text", placeholder: "TEXT", brief: "why, for the holder and the record" },
    },
    examples: [{ line: 'swarm-gen task cancel t-5c1b --reason "done elsewhere"', brief: "with a reason" }],
  },
  "task retry": {
    name: "task retry",
    kind: "command",
    callers: ["operator", "lead"],
    brief: "open a task again that failed or was cancelled",
    fields: { task },
    examples: [{ line: "swarm-gen task retry t-5c1b", brief: "its next attempt has the next fence" }],
  },
} as const satisfies Record<string, OperationRow>;
