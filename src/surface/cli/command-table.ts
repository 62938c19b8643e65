/** All commands, in the order in which docs/cli.md lists them, and the groups of `--help`. */
import type { CommandSpec } from "./command-spec.ts";
import { LEDGER_COMMANDS } from "./table/ledger-commands.ts";
import { LEDGER_FILE_COMMANDS } from "./table/ledger-file-commands.ts";
import { OWNER_COMMANDS } from "./table/owner-commands.ts";
import { RUNTIME_COMMANDS } from "./table/runtime-commands.ts";
import { STORE_COMMANDS } from "./table/store-commands.ts";

export const COMMANDS: readonly CommandSpec[] = [
  ...RUNTIME_COMMANDS,
  ...STORE_COMMANDS,
  ...LEDGER_COMMANDS,
  ...OWNER_COMMANDS,
  ...LEDGER_FILE_COMMANDS,
];

/** A line of `--help`: a command, several that belong together, or all that begin with a noun. */
export type HelpLine =
  | { readonly name: string }
  | { readonly names: readonly string[]; readonly brief: string }
  | { readonly noun: string; readonly brief: string };

export const COMMAND_GROUPS: readonly { readonly title: string; readonly lines: readonly HelpLine[] }[] = [
  {
    title: "Runtimes, every day",
    lines: named("stage", "activate", "rollback", "ls", "show", "diff", "history", "run"),
  },
  {
    title: "Keep, check and carry",
    lines: [
      { names: ["pin", "unpin"], brief: "keep a generation for a reason" },
      ...named("why"),
      { names: ["verify", "repair"], brief: "compare generations with what their ids say, and mend them" },
      ...named("doctor"),
      { names: ["export", "import"], brief: "carry a generation elsewhere" },
      { noun: "store", brief: "the store as a whole" },
      ...named("uninstall"),
    ],
  },
  {
    title: "A project's work",
    lines: [
      ...named("status"),
      { noun: "task", brief: "what is to be done" },
      { noun: "attempt", brief: "a worker's try at a task" },
      { noun: "intent", brief: "workers that were asked for" },
      { noun: "launch", brief: "workers that were started" },
      { noun: "inbox", brief: "mail of workers and leads" },
      { noun: "alarm", brief: "what needs a look" },
      ...named("events"),
      { names: ["pause", "resume"], brief: "hold the project's work for a reason" },
    ],
  },
  {
    title: "Its owner and its ledger",
    lines: [
      { noun: "owner", brief: "the process that serves the project" },
      { noun: "ledger", brief: "the file that holds it all" },
      { noun: "settings", brief: "terms and bounds" },
      { names: ["enroll", "revoke"], brief: "give a worker or lead its capability, or end it" },
      { noun: "actor", brief: "who was enrolled" },
    ],
  },
];

function named(...names: string[]): HelpLine[] {
  return names.map((name) => ({ name }));
}
