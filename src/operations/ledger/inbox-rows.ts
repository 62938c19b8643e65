/** Operations on messages, as data. */
import type { OperationRow } from "./operation-row.ts";

const message = {
  form: "text",
  placeholder: "MESSAGE",
  brief: "id of a message, or a unique beginning of one",
  position: 0,
  required: true,
} as const;
const leaseToken = {
  form: "text",
  placeholder: "TOKEN",
  brief: "the lease token that the fetch gave",
  required: true,
} as const;
const result = { form: "json", placeholder: "JSON", brief: "what came of it; or @FILE" } as const;
const recipient = { form: "text", placeholder: "ACTOR", brief: "whose inbox" } as const;

const CONSUMERS = ["operator", "lead", "worker"] as const;

export const INBOX_ROWS = {
  "inbox send": {
    name: "inbox send",
    kind: "command",
    callers: ["operator", "lead", "worker"],
    brief: "send a message to one or several actors",
    description: "All recipients get it, or none. A body has at most 16 KiB.",
    fields: {
      to: { form: "list", placeholder: "ACTOR,…", brief: "who gets it", position: 0, required: true },
      body: { form: "text", placeholder: "TEXT", brief: "what it says", position: 1, required: true },
      kind: { form: "text", placeholder: "KIND", brief: "note, request or reply; note if absent" },
      thread: { form: "text", placeholder: "WORD", brief: "what it belongs to" },
      expiresInMs: { form: "duration", placeholder: "TIME", brief: "not delivered after this long" },
    },
    examples: [
      {
        line: 'swarm-gen inbox send w-5c1b90aa31f4 "Rebase before you go on" --kind request',
        brief: "to one worker",
      },
      { line: 'swarm-gen inbox send w-1,w-2 "Lunch" --expires-in 1h', brief: "to two, for an hour" },
    ],
  },
  "inbox fetch": {
    name: "inbox fetch",
    kind: "command",
    callers: CONSUMERS,
    brief: "take the next message, leased to you",
    description:
      "One message at a time: until it is acknowledged, rejected or its lease ends, the same one is given again.",
    fields: {},
    examples: [{ line: "swarm-gen inbox fetch --capability worker.key", brief: "as an enrolled script" }],
  },
  "inbox presented": {
    name: "inbox presented",
    kind: "command",
    callers: CONSUMERS,
    brief: "say that the harness showed a message to its model",
    fields: null,
    examples: [],
  },
  "inbox renew": {
    name: "inbox renew",
    kind: "command",
    callers: CONSUMERS,
    brief: "keep a message whose work goes on",
    fields: { message, leaseToken },
    examples: [
      { line: "swarm-gen inbox renew m-5c1b90aa31f4 --lease-token 9f…", brief: "before its lease ends" },
    ],
  },
  "inbox ack": {
    name: "inbox ack",
    kind: "command",
    callers: CONSUMERS,
    brief: "say that a message is processed",
    description: "A token whose lease is over acknowledges nothing; inbox processed still counts then.",
    fields: { message, leaseToken, result },
    examples: [
      {
        line: `swarm-gen inbox ack m-5c1b90aa31f4 --lease-token 9f… --result '"done"'`,
        brief: "with a result",
      },
    ],
  },
  "inbox reject": {
    name: "inbox reject",
    kind: "command",
    callers: CONSUMERS,
    brief: "give a message back, to be delivered again later",
    fields: {
      message,
      leaseToken,
      reason: { form: "text", placeholder: "TEXT", brief: "why", required: true },
      delayMs: { form: "duration", placeholder: "TIME", brief: "not again before; the usual wait if absent" },
    },
    examples: [
      {
        line: 'swarm-gen inbox reject m-5c1b90aa31f4 --lease-token 9f… --reason "tests run" --delay 10m',
        brief: "for ten minutes",
      },
    ],
  },
  "inbox processed": {
    name: "inbox processed",
    kind: "command",
    callers: CONSUMERS,
    brief: "put on record that a message's work is done",
    description:
      "Needs no lease. The message itself is acknowledged when it is delivered next, and not shown again.",
    fields: { message, result },
    examples: [
      { line: "swarm-gen inbox processed m-5c1b90aa31f4", brief: "after the lease was lost during the work" },
    ],
  },
  "inbox ls": {
    name: "inbox ls",
    kind: "query",
    callers: CONSUMERS,
    brief: "list messages and how far each came",
    description: "Those that are not settled, in the order of delivery; a worker sees its own alone.",
    fields: {
      recipient,
      state: {
        form: "text",
        placeholder: "STATE",
        brief: "pending, leased, presented, uncertain, acknowledged, expired or dead",
      },
      after: { form: "text", placeholder: "PLACE", brief: "next of the page before" },
      limit: { form: "count", placeholder: "N", brief: "at most this many; 100 if absent" },
    },
    examples: [
      { line: "swarm-gen inbox ls", brief: "all that is under way" },
      { line: "swarm-gen inbox ls --state dead", brief: "what was given up" },
    ],
  },
  "inbox show": {
    name: "inbox show",
    kind: "query",
    callers: CONSUMERS,
    brief: "show a message whole, and how far it came for each recipient",
    description: "It takes no lease. A worker sees what it was sent and what it sent.",
    fields: { message },
    examples: [{ line: "swarm-gen inbox show m-5c1b90aa31f4", brief: "before you reconcile it" }],
  },
  "inbox reconcile": {
    name: "inbox reconcile",
    kind: "command",
    callers: ["operator", "lead"],
    brief: "settle a message of which nobody knows whether it was processed",
    fields: {
      message,
      outcome: {
        form: "text",
        placeholder: "OUTCOME",
        brief: "processed, or redeliver",
        position: 1,
        required: true,
      },
      reason: { form: "text", placeholder: "TEXT", brief: "how it is known", required: true },
      recipient,
    },
    examples: [
      {
        line: 'swarm-gen inbox reconcile m-5c1b90aa31f4 processed --reason "its commit is there"',
        brief: "after looking",
      },
    ],
  },
} as const satisfies Record<string, OperationRow>;
