/** The commands that look after a scope's owner: the one process that writes its ledger. */
import type { CommandSpec } from "../command-spec.ts";
import { parseCount, parsePort } from "../parse-values.ts";
import { SCOPE_FLAG } from "./scope-flags.ts";

const tcp = {
  kind: "value",
  placeholder: "PORT",
  brief: "serve on 127.0.0.1 too",
  parse: parsePort,
} as const;

export const OWNER_COMMANDS: readonly CommandSpec[] = [
  {
    name: "owner start",
    brief: "start the owner in the background",
    description:
      "Commands that change something do it by themselves. It runs from the generation that is current when the " +
      "scope is made, else from this very program, and outlives the terminal.",
    flags: { tcp, ...SCOPE_FLAG },
    positionals: [],
    examples: [
      { line: "swarm-gen owner start", brief: "for the project of the current folder" },
      { line: "swarm-gen owner start --scope . --json", brief: "the same; who it is, as data" },
    ],
    outputs: [{ schema: "owner-start" }],
    load: () => import("../commands/owner-start.ts"),
  },
  {
    name: "owner status",
    brief: "tell whether the owner runs, and from what",
    flags: { ...SCOPE_FLAG },
    positionals: [],
    examples: [
      { line: "swarm-gen owner status", brief: "asks it, and starts nothing" },
      { line: "swarm-gen owner status --json", brief: "the same as data" },
    ],
    outputs: [{ schema: "owner-status" }],
    load: () => import("../commands/owner-status.ts"),
  },
  {
    name: "owner logs",
    brief: "print the owner's last lines, running or not",
    flags: {
      lines: { kind: "value", placeholder: "N", brief: "how many (default: 50)", parse: parseCount },
      ...SCOPE_FLAG,
    },
    positionals: [],
    examples: [
      { line: "swarm-gen owner logs", brief: "one JSON object a line, oldest first" },
      { line: "swarm-gen owner logs --lines 200 | grep serving", brief: "when owners were started" },
    ],
    outputs: [{ schema: "owner-logs" }],
    load: () => import("../commands/owner-logs.ts"),
  },
  {
    name: "owner stop",
    brief: "stop the owner once it has finished what it does",
    description: "Workers are left alone; they reconnect to the next owner with the same enrollment.",
    flags: { ...SCOPE_FLAG },
    positionals: [],
    examples: [
      { line: "swarm-gen owner stop", brief: "and wait for its end" },
      { line: "swarm-gen owner stop --json", brief: "tells whether one ran" },
    ],
    outputs: [{ schema: "owner-stop" }],
    load: () => import("../commands/owner-stop.ts"),
  },
  {
    name: "owner run",
    brief: "be the owner, in the foreground",
    description:
      "For a supervisor or a look at its log; ends at Ctrl+C or SIGTERM. Refused while another one serves.",
    flags: { tcp, ...SCOPE_FLAG },
    positionals: [],
    examples: [
      { line: "swarm-gen owner run", brief: "until Ctrl+C" },
      { line: "swarm-gen owner run --tcp 0", brief: "with a free port beside the socket" },
    ],
    outputs: [],
    load: () => import("../commands/owner-run.ts"),
  },
];
