/**
 * The commands of a scope's ledger, made from the table of its operations: a row's fields become
 * words and flags, and one runner calls the owner. Rows without fields have no command.
 *
 * What needs more than a call (making a secret, following a feed, reading the ledger of an owner
 * that is down) has code of its own here, under the same name.
 */
import type { OperationRow } from "../../../operations/ledger/operation-row.ts";
import { LEDGER_OPERATIONS, type OperationName } from "../../../operations/ledger/operation-table.ts";
import type { CommandModule, CommandSpec, FlagSpec } from "../command-spec.ts";
import { flagsOf, positionalsOf } from "../ledger/field-form.ts";
import { parseText } from "../parse-values.ts";
import { CALLER_FLAGS, COMMAND_ID_FLAG } from "./scope-flags.ts";

/** What a command has beside its row. */
interface OwnCode {
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  /** Of the output, where it is not the operation's. */
  readonly schema?: string;
  readonly load: () => Promise<CommandModule>;
}

const OWN_CODE: Partial<Record<OperationName, OwnCode>> = {
  status: { schema: "scope-status", load: () => import("../commands/status.ts") },
  events: {
    flags: {
      follow: {
        kind: "switch",
        brief: "go on with what happens, until Ctrl+C; with --json one event a line",
      },
    },
    load: () => import("../commands/events.ts"),
  },
  enroll: {
    flags: {
      capabilityFile: {
        kind: "value",
        placeholder: "FILE",
        brief: "new file for the secret; nothing is overwritten",
        required: true,
        parse: parseText,
      },
    },
    load: () => import("../commands/enroll.ts"),
  },
};

export const LEDGER_COMMANDS: readonly CommandSpec[] = Object.values<OperationRow>(LEDGER_OPERATIONS)
  .filter(({ fields }) => fields !== null)
  .map(commandOf);

function commandOf(row: OperationRow): CommandSpec {
  const { name, kind, brief, description, callers, examples } = row;
  const own: OwnCode | undefined = OWN_CODE[name as OperationName];
  const fields = row.fields ?? {};
  return {
    name,
    brief,
    description: [description, `For ${callers.join(", ")}.`].filter((part) => part !== undefined).join(" "),
    flags: {
      ...flagsOf(fields),
      ...own?.flags,
      ...CALLER_FLAGS,
      ...(kind === "command" ? COMMAND_ID_FLAG : {}),
    },
    positionals: positionalsOf(fields),
    examples,
    outputs: [{ schema: own?.schema ?? name }],
    load: own?.load ?? (() => generic(row)),
  };
}

async function generic(row: OperationRow): Promise<CommandModule> {
  const { callOperation } = await import("../ledger/call-operation.ts");
  return { run: (call) => callOperation(row, call) };
}
