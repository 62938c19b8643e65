/** Operations on attempts, as data. */
import type { OperationRow } from "./operation-row.ts";

const task = {
  form: "text",
  placeholder: "TASK",
  brief: "id of a task, or a unique beginning of one",
  position: 0,
  required: true,
} as const;

const fence = {
  form: "count",
  placeholder: "N",
  brief: "the fence that the claim gave",
  required: true,
} as const;

const nativeSession = {
  form: "text",
  placeholder: "ID",
  brief: "the harness's session that reports; a launched worker names it",
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
  "attempt renew": {
    name: "attempt renew",
    kind: "command",
    isHeartbeat: true,
    callers: ["worker"],
    brief: "keep a claim; tells whether the task is to be cancelled",
    description: "It moves the lease alone. Only progress moves the progress deadline.",
    fields: { task, fence },
    examples: [
      { line: "swarm-gen attempt renew t-5c1b --fence 1 --capability worker.key", brief: "every 15 seconds" },
    ],
  },
  "attempt progress": {
    name: "attempt progress",
    kind: "command",
    callers: ["worker"],
    brief: "say what was done since the last time; moves the progress deadline",
    fields: {
      task,
      fence,
      note: { form: "text", placeholder: "TEXT", brief: "what was done", required: true },
      nativeSession,
    },
    examples: [
      {
        line: 'swarm-gen attempt progress t-5c1b --fence 1 --note "tests pass" --capability worker.key',
        brief: "after a step",
      },
    ],
  },
  "attempt finish": {
    name: "attempt finish",
    kind: "command",
    callers: ["worker"],
    brief: "end a claimed task as completed, failed or cancelled",
    description:
      "The newest fence is accepted however late it comes, unless a launch has the task by then. A repeat by the same fence gets the first outcome.",
    fields: {
      task,
      fence,
      outcome: {
        form: "text",
        placeholder: "OUTCOME",
        brief: "completed, failed, or cancelled if that was asked for",
        required: true,
      },
      result: { form: "json", placeholder: "JSON", brief: "what came of it; or @FILE" },
      nativeSession,
    },
    examples: [
      {
        line: "swarm-gen attempt finish t-5c1b --fence 1 --outcome completed --capability worker.key",
        brief: "done",
      },
    ],
  },
} as const satisfies Record<string, OperationRow>;
