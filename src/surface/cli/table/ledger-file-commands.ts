/** The commands on a project's ledger as a file. They start no owner, and work whether one runs or not. */
import type { CommandSpec } from "../command-spec.ts";
import { SCOPE_FLAG } from "./scope-flags.ts";

export const LEDGER_FILE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "ledger info",
    brief: "tell what the ledger is and holds",
    flags: { ...SCOPE_FLAG },
    positionals: [],
    examples: [
      { line: "swarm-gen ledger info", brief: "path, version, sizes, counts, how far it reaches" },
      { line: "swarm-gen ledger info --json", brief: "the same as data" },
    ],
    outputs: [{ schema: "ledger-info" }],
    load: () => import("../commands/ledger-info.ts"),
  },
  {
    name: "ledger check",
    brief: "look for damage in the ledger",
    description: "SQLite's own checks, then the invariants of the rows. Faults end in exit code 6.",
    flags: { ...SCOPE_FLAG },
    positionals: [],
    examples: [
      { line: "swarm-gen ledger check", brief: "of the ledger itself, or of a copy while no owner runs" },
      { line: "swarm-gen ledger check --json", brief: "the same as data" },
    ],
    outputs: [{ schema: "ledger-check" }],
    load: () => import("../commands/ledger-check.ts"),
  },
  {
    name: "ledger backup",
    brief: "write a checked copy of the ledger to a new file",
    description: "The owner goes on meanwhile. No file is ever replaced.",
    flags: { ...SCOPE_FLAG },
    positionals: [{ placeholder: "FILE", brief: "new file", arity: "one" }],
    examples: [
      { line: "swarm-gen ledger backup monday.sqlite", brief: "what is committed at this moment" },
      { line: "swarm-gen ledger backup tuesday.sqlite --json", brief: "tells its size and newest event" },
    ],
    outputs: [{ schema: "ledger-backup" }],
    load: () => import("../commands/ledger-backup.ts"),
  },
  {
    name: "ledger restore",
    brief: "put a backup in the ledger's place",
    description:
      "Lists what the backup lacks, and changes nothing without --apply. The owner must be stopped. The replaced " +
      "ledger is kept beside; fences and event numbers make a leap, so that none is handed out twice.",
    flags: { apply: { kind: "switch", brief: "do it" }, ...SCOPE_FLAG },
    positionals: [{ placeholder: "BACKUP", brief: "file that `ledger backup` wrote", arity: "one" }],
    examples: [
      { line: "swarm-gen ledger restore monday.sqlite", brief: "what would be lost" },
      { line: "swarm-gen ledger restore monday.sqlite --apply", brief: "and lose it" },
    ],
    outputs: [{ schema: "ledger-restore" }],
    load: () => import("../commands/ledger-restore.ts"),
  },
];
