/** An error as it leaves the command line: JSON on stdout with `--json`, else sentences on stderr. */
import { CATALOGUE, CodedError } from "../../kernel/errors.ts";
import { cleanJson, cleanLines } from "./render/clean-text.ts";
import type { Style } from "./render/style.ts";

export interface ReportedError {
  readonly exitCode: number;
  readonly json: string;
  readonly text: string;
}

/** `withStack` shows where a bug is; off unless a developer asks for it. */
export function reportError(error: unknown, style: Style, withStack: boolean): ReportedError {
  const coded = error instanceof CodedError ? error : bug(error);
  const stack = withStack && error instanceof Error ? `\n${error.stack ?? ""}` : "";
  return {
    exitCode: coded.exitCode,
    json: cleanJson(`${JSON.stringify(coded.toJSON(), null, 2)}\n`),
    text: `${style.red(`error[${coded.code}]:`)} ${cleanLines(coded.message)}\n${style.dim("hint:")} ${cleanLines(coded.hint)}${cleanLines(stack)}\n`,
  };
}

function bug(error: unknown): CodedError {
  const message = error instanceof Error ? error.message : String(error);
  return new CodedError("internal", message === "" ? "an error without a message" : message, {
    hint: `${CATALOGUE.internal.todo}; SWARM_GEN_DEBUG=1 prints the stack.`,
    cause: error,
  });
}
