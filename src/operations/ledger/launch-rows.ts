/**
 * Operations on intents and launches, as data. All but the two that look have no command of their
 * own: the owner's launcher and the worker's processes call them.
 */
import type { OperationRow } from "./operation-row.ts";

export const LAUNCH_ROWS = {
  "intent create": {
    name: "intent create",
    kind: "command",
    callers: ["launcher"],
    brief: "put down what is to be run, once and for all",
    fields: null,
    examples: [],
  },
  "intent ls": {
    name: "intent ls",
    kind: "query",
    callers: ["operator", "lead"],
    brief: "list what was asked to be run, newest first",
    fields: {
      task: { form: "text", placeholder: "TASK", brief: "only those of this task" },
      limit: { form: "count", placeholder: "N", brief: "how many, at most 500; 100 where not said" },
      after: { form: "text", placeholder: "CURSOR", brief: "go on after the page that named it as next" },
    },
    examples: [{ line: "swarm-gen intent ls --limit 10", brief: "the ten newest" }],
  },
  "launch reserve": {
    name: "launch reserve",
    kind: "command",
    callers: ["launcher"],
    brief: "begin one try at an intent, on a pinned generation",
    fields: null,
    examples: [],
  },
  "launch provision": {
    name: "launch provision",
    kind: "command",
    callers: ["launcher"],
    brief: "enroll the worker of a reserved launch",
    fields: null,
    examples: [],
  },
  "launch advance": {
    name: "launch advance",
    kind: "command",
    callers: ["launcher", "worker"],
    brief: "move a launch from one state to the next, if it is still in the one",
    fields: null,
    examples: [],
  },
  "launch challenge": {
    name: "launch challenge",
    kind: "command",
    callers: ["launcher"],
    brief: "offer a challenge to an MCP process in a native session",
    fields: null,
    examples: [],
  },
  "launch ready": {
    name: "launch ready",
    kind: "command",
    callers: ["worker"],
    brief: "answer the challenge: claims the task and binds the launch in one step",
    fields: null,
    examples: [],
  },
  "launch report": {
    name: "launch report",
    kind: "command",
    isHeartbeat: true,
    callers: ["launcher", "worker"],
    brief: "report the health of one part of a launch",
    fields: null,
    examples: [],
  },
  "launch observe": {
    name: "launch observe",
    kind: "command",
    isHeartbeat: true,
    callers: ["launcher", "worker"],
    brief: "report whether a session is busy, available or ended",
    fields: null,
    examples: [],
  },
  "launch ls": {
    name: "launch ls",
    kind: "query",
    callers: ["operator", "lead", "worker", "launcher"],
    brief: "list launches, newest first",
    fields: {
      task: { form: "text", placeholder: "TASK", brief: "only those of this task" },
      states: { form: "list", placeholder: "STATE,…", brief: "only those in these states" },
      limit: { form: "count", placeholder: "N", brief: "how many, at most 500; 100 where not said" },
      after: { form: "text", placeholder: "CURSOR", brief: "go on after the page that named it as next" },
    },
    examples: [{ line: "swarm-gen launch ls --states bound,uncertain", brief: "who works, and who may" }],
  },
  "launch show": {
    name: "launch show",
    kind: "query",
    callers: ["operator", "lead", "worker", "launcher"],
    brief: "the receipt of a launch, its history and health",
    fields: {
      launch: {
        form: "text",
        placeholder: "LAUNCH",
        brief: "id of a launch, or a unique beginning of one",
        position: 0,
        required: true,
      },
    },
    examples: [{ line: "swarm-gen launch show l-7d20", brief: "by the beginning of its id" }],
  },
} as const satisfies Record<string, OperationRow>;
