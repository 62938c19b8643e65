/** The flags of every command. */
import type { FlagSpec } from "./command-spec.ts";
import { parseProfile } from "./parse-values.ts";

export const DEFAULT_PROFILE = "default";

export const COMMON_FLAGS: Readonly<Record<"profile" | "json", FlagSpec>> = {
  profile: {
    kind: "value",
    placeholder: "NAME",
    brief: "line of activations that @ and the project's ledger follow (default: default)",
    parse: parseProfile,
  },
  json: { kind: "switch", brief: "print the result, or the error, as JSON on stdout" },
};
