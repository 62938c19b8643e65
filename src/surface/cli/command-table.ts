/** All commands, in the order in which `--help` and docs/cli.md list them. */
import type { CommandSpec } from "./command-spec.ts";
import { RUNTIME_COMMANDS } from "./table/runtime-commands.ts";
import { STORE_COMMANDS } from "./table/store-commands.ts";

export const COMMANDS: readonly CommandSpec[] = [...RUNTIME_COMMANDS, ...STORE_COMMANDS];

/** The headings of `--help`: what is done all day first. */
export const COMMAND_GROUPS: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: "Every day", names: ["stage", "activate", "rollback", "ls", "show", "diff", "history", "run"] },
  { title: "Keep and collect", names: ["pin", "unpin", "why", "store gc", "store info"] },
  { title: "Check and mend", names: ["verify", "repair", "doctor"] },
  { title: "Carry", names: ["export", "import", "uninstall"] },
];
