/** A path as it was typed, made absolute. */
import { isAbsolute, resolve } from "node:path";
import { CodedError } from "../../kernel/errors.ts";
import type { CliHost } from "./call.ts";

/** The working folder is asked for only where it matters: it may not exist any more. `invalid_input`. */
export function givenPath({ cwd }: Pick<CliHost, "cwd">, text: string): string {
  // An empty word is a variable without a value, never the working folder.
  if (text === "" || text.includes("\0")) {
    throw new CodedError("invalid_input", "A path is empty, or holds a NUL.", {
      hint: "Name a file or folder; . is the current folder.",
    });
  }
  return isAbsolute(text) ? resolve(text) : resolve(cwd(), text);
}
