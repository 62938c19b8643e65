/** A JSON text that was typed as an argument, or stands in a file that was named as `@FILE`. */
import { CodedError, systemCode } from "../../../kernel/errors.ts";
import type { CliHost } from "../call.ts";
import { givenPath } from "../given-path.ts";

type Reading = Pick<CliHost, "cwd" | "readText">;

/** `invalid_input` says where the text ceases to be JSON. `label` names the argument. */
export function jsonArgument(host: Reading, label: string, text: string): unknown {
  const file = text.startsWith("@") ? givenPath(host, text.slice(1)) : null;
  const json = file === null ? text : contentOf(host, label, file);
  try {
    return JSON.parse(json);
  } catch (cause) {
    // V8 names line and column, or shows the text around the place.
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CodedError(
      "invalid_input",
      `${label}${file === null ? "" : ` (${file})`} is no JSON: ${why}.`,
      {
        hint: "Quote keys and texts with double quotes, and the whole for the shell.",
        fields: { argument: label, file },
        cause,
      },
    );
  }
}

function contentOf(host: Reading, label: string, file: string): string {
  try {
    return host.readText(file);
  } catch (cause) {
    const code = systemCode(cause);
    const [error, why] =
      code === "ENOENT"
        ? (["not_found", "does not exist"] as const)
        : (["invalid_input", `cannot be read (${code ?? cause})`] as const);
    throw new CodedError(error, `${label} names ${file}, which ${why}.`, {
      hint: "Name a file that holds JSON after the @.",
      fields: { argument: label, file },
      cause,
    });
  }
}
