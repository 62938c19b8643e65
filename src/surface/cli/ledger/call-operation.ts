/** The one runner of the ledger's commands: input from the words, one call, its output as it came. */
import { CATALOGUE, CodedError } from "../../../kernel/errors.ts";
import { uuidV7 } from "../../../kernel/uuid.ts";
import type { OperationRow } from "../../../operations/ledger/operation-row.ts";
import type { Answer, Call } from "../call.ts";
import { outputText } from "../render/ledger/output-text.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";
import { inputOf } from "./input-of.ts";
import { withClient } from "./scope-call.ts";

export async function callOperation(row: OperationRow, call: Call): Promise<Answer> {
  const output = await answerOf(row, call, inputOf(row, call));
  return { output, text: (style) => outputText(row.name, output, style) };
}

/** A command starts the owner where none runs; a query does not. */
export async function answerOf(
  { name, kind }: OperationRow,
  call: Call<ScopeFlags>,
  input: unknown,
): Promise<unknown> {
  const { host } = call;
  const signal = host.interruption;
  if (kind === "query") {
    return withClient(call, { start: false }, (client) => client.call(name, input, { signal }));
  }
  const commandId = commandIdOf(call);
  return withClient(call, { start: true }, async (client) => {
    try {
      return await client.call(name, input, { signal, commandId });
    } catch (error) {
      throw repeatable(error, commandId);
    }
  });
}

export function commandIdOf({ flags, host }: Call<ScopeFlags>): string {
  return flags.commandId ?? uuidV7(host.clock.now(), host.scopePorts().ids);
}

/** Nobody knows whether it was done, or it may be tried again: either way only under the same id. */
function repeatable(error: unknown, commandId: string): unknown {
  if (!(error instanceof CodedError) || !CATALOGUE[error.code].retryable) return error;
  return new CodedError(error.code, error.message, {
    hint: `${error.hint} To repeat it, add --command-id ${commandId}: nothing is then done twice.`,
    fields: { ...error.fields, commandId },
    cause: error,
  });
}
