/** The commands that look after the store: check and mend, keep and collect, carry and inspect. */
import type { CommandSpec } from "../command-spec.ts";
import { parseCount, parseDuration, parseFullId, parseReason, parseText } from "../parse-values.ts";

const generation = {
  placeholder: "ID",
  brief: "id, unique prefix, @12, @current or @previous",
  arity: "one",
} as const;
const quiet = { kind: "switch", brief: "show no progress" } as const;

export const STORE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "verify",
    brief: "compare generations with what their ids say",
    description:
      "Reads every byte; with --quick only what the file system tells without reading. Damage ends in exit code 6.",
    flags: {
      all: { kind: "switch", brief: "all generations (the default without an ID)" },
      quick: { kind: "switch", brief: "types, modes, sizes and times only" },
      quiet,
    },
    positionals: [{ ...generation, arity: "many" }],
    examples: [
      { line: "swarm-gen verify @current", brief: "every byte of the current generation" },
      { line: "swarm-gen verify --all --quick", brief: "a fast look at all of them" },
    ],
    outputs: [{ schema: "verify" }],
    load: () => import("../commands/verify.ts"),
  },
  {
    name: "repair",
    brief: "mend a generation from good copies",
    flags: {
      from: {
        kind: "value",
        placeholder: "SOURCE",
        brief: "folder or archive with good copies",
        parse: parseText,
      },
    },
    positionals: [generation],
    examples: [
      { line: "swarm-gen repair @current", brief: "from the store's own intact copies" },
      { line: "swarm-gen repair @1 --from ./runtime", brief: "from the folder it was staged from" },
    ],
    outputs: [{ schema: "repair" }],
    load: () => import("../commands/repair.ts"),
  },
  {
    name: "pin",
    brief: "keep a generation, and say why",
    flags: {
      reason: {
        kind: "value",
        placeholder: "TEXT",
        brief: "shown by `why`",
        required: true,
        parse: parseReason,
      },
      expiresIn: {
        kind: "value",
        placeholder: "DURATION",
        brief: "end the pin after 30m, 12h, 7d",
        parse: parseDuration,
      },
    },
    positionals: [generation],
    examples: [
      { line: 'swarm-gen pin @previous --reason "known good"', brief: "until it is unpinned" },
      { line: 'swarm-gen pin @1 --reason "release test" --expires-in 7d', brief: "for a week" },
    ],
    outputs: [{ schema: "pin" }],
    load: () => import("../commands/pin.ts"),
  },
  {
    name: "unpin",
    brief: "release a pin made by `pin`",
    flags: {},
    positionals: [{ placeholder: "PIN", brief: "the pin's id, as `pin` and `why` print it", arity: "one" }],
    examples: [
      { line: "swarm-gen unpin $PIN", brief: "PIN holds the id that `pin` printed" },
      { line: "swarm-gen unpin $PIN --json", brief: "prints the released pin" },
    ],
    outputs: [{ schema: "unpin" }],
    load: () => import("../commands/unpin.ts"),
  },
  {
    name: "why",
    brief: "tell why a generation is kept",
    flags: {},
    positionals: [generation],
    examples: [
      { line: "swarm-gen why @previous", brief: "its pins, and the processes that run from it" },
      { line: "swarm-gen why @current --json", brief: "the same as data" },
    ],
    outputs: [{ schema: "why" }],
    load: () => import("../commands/why.ts"),
  },
  {
    name: "store gc",
    brief: "remove generations that nothing keeps",
    description: "All modes follow one plan. What is pinned, or still runs, or is young, stays.",
    flags: {
      dryRun: { kind: "switch", brief: "tell what would be removed" },
      printLive: { kind: "switch", brief: "print the ids that stay" },
      printDead: { kind: "switch", brief: "print the ids that would go" },
      keepLast: {
        kind: "value",
        placeholder: "N",
        brief: "activations before the current one to keep, per profile",
        parse: parseCount,
      },
      olderThan: {
        kind: "value",
        placeholder: "DURATION",
        brief: "only what was staged at least this long ago: 30m, 12h, 7d, 0s",
        parse: parseDuration,
      },
      quiet,
    },
    positionals: [],
    examples: [
      { line: "swarm-gen store gc --dry-run", brief: "look before" },
      { line: "swarm-gen store gc --older-than 7d --keep-last 2", brief: "and collect" },
      { line: "swarm-gen store gc --print-dead", brief: "full ids, one a line" },
    ],
    outputs: [{ schema: "store-gc" }],
    load: () => import("../commands/store-gc.ts"),
  },
  {
    name: "store info",
    brief: "tell what the store holds and takes",
    flags: {},
    positionals: [],
    examples: [
      { line: "swarm-gen store info", brief: "counts, sizes, alarms" },
      { line: "swarm-gen store info --json", brief: "the same as data" },
    ],
    outputs: [{ schema: "store-info" }],
    load: () => import("../commands/store-info.ts"),
  },
  {
    name: "export",
    brief: "write a generation as a deterministic tar",
    flags: {
      to: {
        kind: "value",
        placeholder: "FILE",
        brief: "file, or - for stdout",
        required: true,
        parse: parseText,
      },
    },
    positionals: [generation],
    examples: [
      { line: "swarm-gen export @current --to runtime.tar", brief: "the same bytes on every machine" },
      { line: "swarm-gen export @current --to - | gzip > runtime.tar.gz", brief: "in a pipe" },
    ],
    outputs: [{ schema: "export" }],
    load: () => import("../commands/export.ts"),
  },
  {
    name: "import",
    brief: "publish a generation from an exported tar",
    flags: {
      expect: {
        kind: "value",
        placeholder: "ID",
        brief: "full id that the archive must hold",
        parse: parseFullId,
      },
      quiet,
    },
    positionals: [{ placeholder: "FILE", brief: "archive made by `export`", arity: "one" }],
    examples: [
      { line: "swarm-gen import runtime.tar", brief: "checked entry by entry before anything is visible" },
      { line: "swarm-gen import runtime.tar --expect $ID", brief: "ID holds the full id you were told" },
    ],
    outputs: [{ schema: "import" }],
    load: () => import("../commands/import.ts"),
  },
  {
    name: "doctor",
    brief: "check the machine and the store for faults",
    description: "Each finding comes with its fix. Faults end in exit code 6; warnings do not.",
    flags: {},
    positionals: [],
    examples: [
      { line: "swarm-gen doctor", brief: "facts and findings" },
      { line: "swarm-gen doctor --json", brief: "the same as data" },
    ],
    outputs: [{ schema: "doctor" }],
    load: () => import("../commands/doctor.ts"),
  },
  {
    name: "uninstall",
    brief: "tell what a removal of swarm-gen would remove",
    description: "Removes nothing itself: it prints folders, sizes, what still holds them, and the commands.",
    flags: { plan: { kind: "switch", brief: "print the plan (required)" } },
    positionals: [],
    examples: [
      { line: "swarm-gen uninstall --plan", brief: "what would go, and what still runs" },
      { line: "swarm-gen uninstall --plan --json", brief: "the same as data" },
    ],
    outputs: [{ schema: "uninstall" }],
    load: () => import("../commands/uninstall.ts"),
  },
];
