/** The commands of every day: from a runtime to the current generation, and a look at both. */
import type { CommandSpec } from "../command-spec.ts";
import { parseText } from "../parse-values.ts";

const generation = {
  placeholder: "ID",
  brief: "id, unique prefix, @12, @current or @previous",
  arity: "one",
} as const;

export const RUNTIME_COMMANDS: readonly CommandSpec[] = [
  {
    name: "stage",
    brief: "make a generation of a runtime",
    description:
      "SOURCE is a folder (default: the current one), an npm .tgz, or an archive made by `export`. " +
      "A folder needs a recipe, or --bare to be taken whole. The same content has the same id, staged anywhere.",
    flags: {
      recipe: {
        kind: "value",
        placeholder: "FILE",
        brief: "recipe (default: the source's only one in generations/)",
        parse: parseText,
      },
      bare: { kind: "switch", brief: "take the folder whole, without a recipe and entry points" },
      name: { kind: "value", placeholder: "NAME", brief: "name of the runtime", parse: parseText },
      activate: { kind: "switch", brief: "make the result the current generation" },
      acceptOwnPaths: { kind: "switch", brief: "accept files that hold the source's own absolute path" },
      quiet: { kind: "switch", brief: "show no progress" },
    },
    positionals: [{ placeholder: "SOURCE", brief: "folder, .tgz or exported archive", arity: "optional" }],
    examples: [
      { line: "swarm-gen stage ./runtime --bare --name tools", brief: "a folder, just as it is" },
      { line: "swarm-gen stage ./runtime --bare --activate", brief: "and make it the current one" },
      { line: "swarm-gen stage ./runtime --bare --json | grep generation", brief: "its id, for a script" },
    ],
    outputs: [{ schema: "stage" }],
    load: () => import("../commands/stage.ts"),
  },
  {
    name: "ls",
    brief: "list the generations",
    flags: {},
    positionals: [],
    examples: [
      { line: "swarm-gen ls", brief: "all generations of the store; * marks the current one" },
      { line: "swarm-gen ls --json", brief: "the same with full ids" },
    ],
    outputs: [{ schema: "ls" }],
    load: () => import("../commands/ls.ts"),
  },
  {
    name: "show",
    brief: "show one generation, its files or their sums",
    flags: {
      nar: { kind: "switch", brief: "compute the Nix NAR hash, as `nix hash path` does" },
      sums: { kind: "switch", brief: "print SHA-256 lines for `sha256sum -c`, run inside the tree" },
      files: { kind: "switch", brief: "list files with modes, digests and sizes" },
    },
    positionals: [generation],
    examples: [
      { line: "swarm-gen show @current", brief: "what is active, and where its tree stands" },
      { line: "swarm-gen show @current --files", brief: "every file and link of it" },
      { line: "swarm-gen show @current --sums > sums.txt", brief: "check the tree without swarm-gen" },
    ],
    outputs: [
      { schema: "show" },
      { schema: "show-files", flag: "--files" },
      { schema: "show-sums", flag: "--sums" },
    ],
    load: () => import("../commands/show.ts"),
  },
  {
    name: "diff",
    brief: "compare two generations by component and file",
    flags: { files: { kind: "switch", brief: "list every changed file, not the first 20" } },
    positionals: [
      { ...generation, placeholder: "A" },
      { ...generation, placeholder: "B" },
    ],
    examples: [
      { line: "swarm-gen diff @previous @current", brief: "what the last activation changed" },
      { line: "swarm-gen diff @1 @current --json", brief: "everything since the first one, as data" },
    ],
    outputs: [{ schema: "diff" }],
    load: () => import("../commands/diff.ts"),
  },
  {
    name: "activate",
    brief: "make a generation the current one",
    description: "Running processes keep the generation that they were started from.",
    flags: {},
    positionals: [generation],
    examples: [
      { line: "swarm-gen activate @previous", brief: "the one before, as a new activation" },
      {
        line: "swarm-gen activate @1 --profile canary",
        brief: "refers to activation 1 of the profile canary",
      },
    ],
    outputs: [{ schema: "activate" }],
    load: () => import("../commands/activate.ts"),
  },
  {
    name: "rollback",
    brief: "go back to the generation before, or to @n",
    flags: {},
    positionals: [
      { placeholder: "@N", brief: "number of an activation (default: the one before)", arity: "optional" },
    ],
    examples: [
      { line: "swarm-gen rollback", brief: "undo the last activation" },
      { line: "swarm-gen rollback @1", brief: "back to what activation 1 made current" },
    ],
    outputs: [{ schema: "rollback" }],
    load: () => import("../commands/rollback.ts"),
  },
  {
    name: "history",
    brief: "list the activations of a profile",
    flags: {},
    positionals: [],
    examples: [
      { line: "swarm-gen history", brief: "who made what current, and when" },
      { line: "swarm-gen history --profile canary --json", brief: "another profile's, as data" },
    ],
    outputs: [{ schema: "history" }],
    load: () => import("../commands/history.ts"),
  },
  {
    name: "run",
    brief: "run an entry point on the generation's own interpreter",
    description:
      "ENTRY is cli, owner, wrapper, mcp, hooks.EVENT or EVENT. All that follows it is the program's. " +
      "The generation stays as long as the program runs; nothing of it comes from PATH.",
    flags: {},
    positionals: [
      generation,
      { placeholder: "ENTRY", brief: "entry point of the generation", arity: "one" },
      { placeholder: "ARGS", brief: "arguments of the program", arity: "many" },
    ],
    examples: [
      {
        line: "swarm-gen run @current cli --version",
        brief: "the command line tool of the current generation",
      },
      {
        line: "swarm-gen run @previous -- cli ls --json",
        brief: "the same of the one before; -- may stand for clarity",
      },
    ],
    outputs: [],
    load: () => import("../commands/run.ts"),
  },
];
