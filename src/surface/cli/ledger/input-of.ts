/** The input of an operation, from the flags and words of a command line. */
import { CodedError } from "../../../kernel/errors.ts";
import type { FieldSpec, OperationRow } from "../../../operations/ledger/operation-row.ts";
import type { Call } from "../call.ts";
import { flagName } from "../flag-name.ts";
import { flagFields, PARSE_FORM, placedFields } from "./field-form.ts";
import { jsonArgument } from "./json-argument.ts";

/** Members that were not typed are left out, so that the owner's defaults hold. `invalid_input`. */
export function inputOf({ name, fields }: OperationRow, call: Call): Record<string, unknown> {
  const flags = call.flags as Readonly<Record<string, unknown>>;
  const input: Record<string, unknown> = {};
  for (const [field, flag, spec] of flagFields(fields ?? {})) {
    if (flags[flag] !== undefined) input[field] = memberOf(call, flagName(flag), spec, flags[flag]);
  }
  placedFields(fields ?? {}).forEach(([field, spec], at) => {
    const word = call.args[at];
    if (word !== undefined) input[field] = memberOf(call, spec.placeholder, spec, parsed(name, spec, word));
  });
  return input;
}

function memberOf({ host }: Call, label: string, { form }: FieldSpec, value: unknown): unknown {
  return form === "json" ? jsonArgument(host, label, String(value)) : value;
}

// The parser gives words in a place as they are; their form is looked at here.
function parsed(command: string, { form, placeholder }: FieldSpec, word: string): unknown {
  if (form === "switch") return word;
  try {
    return PARSE_FORM[form](word);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CodedError("invalid_input", `${placeholder} ${JSON.stringify(word)} is malformed: ${why}.`, {
      hint: `swarm-gen ${command} --help shows its form.`,
      cause: error,
    });
  }
}
