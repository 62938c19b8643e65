/**
 * From the words of the command line to a call. What asks for help, or for the version, and for
 * nothing else is answered here; the rest goes to the parser, which is loaded only then.
 */
import type { CommandSpec, CommonFlags } from "./command-spec.ts";

export type CommandLine =
  | {
      readonly kind: "call";
      readonly command: CommandSpec;
      readonly flags: CommonFlags;
      readonly args: string[];
    }
  /** What was asked for is a text. */
  | { readonly kind: "text"; readonly text: string };

/** `invalid_input` for an unknown command or flag, a missing argument, a malformed value. */
export async function parseCommandLine(argv: readonly string[], version: () => string): Promise<CommandLine> {
  const words = canonicalArguments(argv);
  if (words.length === 1 && words[0] === "--version") return { kind: "text", text: `${version()}\n` };
  if (words.length === 0 || HELP.includes(words.at(-1) ?? "")) {
    const { helpAbout } = await import("./help-text.ts");
    const text = helpAbout(words.slice(0, -1).join(" "));
    if (text !== null) return { kind: "text", text };
  }
  const { parseWords } = await import("./parse-words.ts");
  return parseWords(words);
}

const HELP = ["--help", "-h"];

/**
 * `help stage` means `stage --help`; and all that follows the ENTRY of `run` is the program's own,
 * so a `--` is put before it where the caller left it out.
 */
export function canonicalArguments(argv: readonly string[]): string[] {
  if (argv[0] === "help") return [...argv.slice(1), "--help"];
  if (argv[0] !== "run") return [...argv];
  let positionals = 0;
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] as string;
    if (word === "--") return [...argv];
    if (word === "--profile") at += 1;
    else if (!word.startsWith("-")) positionals += 1;
    if (positionals === 2) return [...argv.slice(0, at), "--", ...argv.slice(at)];
  }
  return [...argv];
}

/** Whether an error of this command line is to be printed as JSON. */
export function asksForJson(argv: readonly string[]): boolean {
  const words = canonicalArguments(argv);
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? undefined : end).includes("--json");
}
