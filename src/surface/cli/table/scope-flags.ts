/** The flags of every command that speaks to a scope's owner. */
import type { CommonFlags, FlagSpec } from "../command-spec.ts";
import { parseCommandId, parseText } from "../parse-values.ts";

export interface ScopeFlags extends CommonFlags {
  readonly scope?: string;
  readonly capability?: string;
  readonly commandId?: string;
}

export const SCOPE_FLAG: Readonly<Record<"scope", FlagSpec>> = {
  scope: {
    kind: "value",
    placeholder: "DIR",
    brief: "a folder of the project (default: the current one)",
    parse: parseText,
  },
};

export const CALLER_FLAGS: Readonly<Record<"scope" | "capability", FlagSpec>> = {
  ...SCOPE_FLAG,
  capability: {
    kind: "value",
    placeholder: "FILE",
    brief: "act as who was enrolled with it (default: the scope's operator)",
    parse: parseText,
  },
};

/** A command that changes something may be sent again under the id that it had. */
export const COMMAND_ID_FLAG: Readonly<Record<"commandId", FlagSpec>> = {
  commandId: {
    kind: "value",
    placeholder: "UUID",
    brief: "UUIDv7 of a command sent before: a repeat changes nothing twice",
    parse: parseCommandId,
  },
};
