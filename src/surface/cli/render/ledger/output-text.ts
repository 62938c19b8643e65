/** The text of an operation's output: its area's own where it has one, else its facts. */
import type { Style } from "../style.ts";
import { valueText } from "../value-text.ts";
import { deliveriesText, envelopeText, fetchedText } from "./inbox-text.ts";
import type { OperationTexts } from "./operation-output.ts";

/** `output` is the named operation's own; ends without a newline. */
export function outputText(name: string, output: unknown, style: Style): string {
  const own = (TEXTS as Partial<Record<string, (output: never, style: Style) => string>>)[name];
  return own === undefined ? valueText(output, style) : own(output as never, style);
}

const TEXTS = {
  "inbox fetch": fetchedText,
  "inbox renew": envelopeText,
  "inbox ls": deliveriesText,
} satisfies OperationTexts;
