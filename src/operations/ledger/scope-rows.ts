/** Operations on the scope itself, as data: its hold, its settings, its actors, its feed, its state. */
import type { OperationRow } from "./operation-row.ts";

const key = {
  form: "text",
  placeholder: "KEY",
  brief: "name of a setting",
  position: 0,
  required: true,
} as const;
const limit = { form: "count", placeholder: "N", brief: "at most this many; 100 if absent" } as const;

const EVERYBODY = ["operator", "lead", "worker", "launcher"] as const;

export const SCOPE_ROWS = {
  status: {
    name: "status",
    kind: "query",
    callers: EVERYBODY,
    brief: "one screen: workers, tasks, alarms, mail and what is unresolved",
    fields: {},
    examples: [{ line: "swarm-gen status", brief: "of the project that you are in" }],
  },
  events: {
    name: "events",
    kind: "query",
    callers: EVERYBODY,
    brief: "what happened, oldest first",
    description:
      "Resumable by number; where older events are kept no longer, the page says which are missing.",
    fields: {
      since: {
        form: "count",
        placeholder: "N",
        brief: "after this event's number; from the first if absent",
      },
      limit,
    },
    examples: [
      { line: "swarm-gen events --since 120", brief: "what came after event 120" },
      { line: "swarm-gen events --follow --json", brief: "as it happens, one line an event" },
    ],
  },
  pause: {
    name: "pause",
    kind: "command",
    callers: ["operator"],
    brief: "hold the project's work: nothing new begins",
    description: "What runs goes on, and so does mail.",
    fields: {
      reason: { form: "text", placeholder: "TEXT", brief: "why, for those who are refused", required: true },
    },
    examples: [{ line: 'swarm-gen pause --reason "the database moves"', brief: "until resume" }],
  },
  resume: {
    name: "resume",
    kind: "command",
    callers: ["operator"],
    brief: "end the hold, whoever has it",
    fields: {},
    examples: [{ line: "swarm-gen resume", brief: "work may begin again" }],
  },
  "settings ls": {
    name: "settings ls",
    kind: "query",
    callers: EVERYBODY,
    brief: "list the settings: what holds, and whether anybody chose it",
    fields: {},
    examples: [{ line: "swarm-gen settings ls", brief: "with defaults and bounds" }],
  },
  "settings get": {
    name: "settings get",
    kind: "query",
    callers: EVERYBODY,
    brief: "show one setting",
    fields: { key },
    examples: [{ line: "swarm-gen settings get task.lease", brief: "in milliseconds" }],
  },
  "settings set": {
    name: "settings set",
    kind: "command",
    callers: ["operator"],
    brief: "choose a setting's value, or give the choice back to its default",
    fields: {
      key,
      value: {
        form: "text",
        placeholder: "VALUE",
        brief: "a count, or a time like 90s, 15m, 2h",
        position: 1,
      },
      toDefault: { form: "switch", placeholder: "", brief: "the default holds again" },
    },
    examples: [
      { line: "swarm-gen settings set task.progress-timeout 30m", brief: "for long builds" },
      { line: "swarm-gen settings set task.progress-timeout --to-default", brief: "back to the default" },
    ],
  },
  enroll: {
    name: "enroll",
    kind: "command",
    callers: ["operator"],
    brief: "give a worker or lead a capability",
    description:
      "The secret is made here and stays in its file; the owner gets its digest. Whoever is enrolled again loses the capability of before.",
    fields: {
      kind: { form: "text", placeholder: "KIND", brief: "worker or lead", position: 0, required: true },
      label: { form: "text", placeholder: "TEXT", brief: "who it is, one line for people", required: true },
      consumer: { form: "text", placeholder: "KIND", brief: "what takes its mail: script, hook or channel" },
      actor: { form: "text", placeholder: "ACTOR", brief: "enroll this actor again" },
    },
    examples: [
      {
        line: 'swarm-gen enroll worker --label "nightly script" --capability-file worker.key',
        brief: "a script that claims tasks",
      },
    ],
  },
  revoke: {
    name: "revoke",
    kind: "command",
    callers: ["operator"],
    brief: "end a worker's or lead's capability",
    description: "Work that it holds is not given away by it; mail that is out with it comes back.",
    fields: {
      actor: { form: "text", placeholder: "ACTOR", brief: "id of an actor", position: 0, required: true },
      reason: { form: "text", placeholder: "TEXT", brief: "why" },
    },
    examples: [{ line: "swarm-gen revoke w-5c1b90aa31f4", brief: "at once" }],
  },
  "actor ls": {
    name: "actor ls",
    kind: "query",
    callers: ["operator", "lead", "launcher"],
    brief: "list who is enrolled, and in which sessions each was seen",
    fields: {
      kind: { form: "text", placeholder: "KIND", brief: "worker, lead, operator or owner" },
      all: { form: "switch", placeholder: "", brief: "those whose enrollment ended too" },
      after: { form: "text", placeholder: "ACTOR", brief: "next of the page before" },
      limit,
    },
    examples: [{ line: "swarm-gen actor ls --kind worker", brief: "the workers" }],
  },
} as const satisfies Record<string, OperationRow>;
