/** rollback: its one argument is a number of the history, never an id; activate takes those. */
import { CodedError } from "../../../kernel/errors.ts";
import { rollback } from "../../../operations/rollback.ts";
import type { Answer, Call } from "../call.ts";
import { parseActivationNumber } from "../parse-values.ts";
import { activatedText } from "./activate.ts";

export async function run(call: Call): Promise<Answer> {
  const target = call.args[0] === undefined ? {} : { number: activationNumber(call.args[0]) };
  const context = await call.context();
  const output = rollback(context, target);
  return { output, text: () => activatedText(output, context.profile) };
}

function activationNumber(text: string): number {
  try {
    return parseActivationNumber(text);
  } catch (cause) {
    throw new CodedError("invalid_input", `${text} is not the number of an activation.`, {
      hint: "swarm-gen history lists them; write @12 for activation 12.",
      cause,
    });
  }
}
