/**
 * The parser of commands: routes, flags and "did you mean" by @stricli/core, help texts and errors
 * by us.
 *
 * Stricli runs a command function of its own making that only notes what was parsed. So no error
 * of a command passes through its formatters, and what it prints is caught: on stdout that is
 * help, on stderr it is what is wrong with the words, which becomes `invalid_input`.
 */
import {
  ArgumentScannerError,
  buildApplication,
  buildCommand,
  buildRouteMap,
  formatMessageForArgumentScannerError,
  run,
  text_en,
} from "@stricli/core";
import { CodedError } from "../../kernel/errors.ts";
import type { CommandSpec, CommonFlags, FlagSpec, PositionalSpec } from "./command-spec.ts";
import { COMMANDS } from "./command-table.ts";
import { COMMON_FLAGS } from "./common-flags.ts";

import type { CommandLine } from "./parse-command-line.ts";

/** `invalid_input` for an unknown command or flag, a missing argument, a malformed value. */
export async function parseWords(words: readonly string[]): Promise<CommandLine> {
  const noted: { call: CommandLine | null; help: HelpTopic | null } = { call: null, help: null };
  const printed: string[] = [];
  const complaints: string[] = [];
  const application = createApplication(words, {
    call(command, flags, args) {
      // Stricli hands over what was left out as undefined.
      const given = Object.entries(flags).filter(([, value]) => value !== undefined);
      noted.call = {
        kind: "call",
        command,
        flags: Object.fromEntries(given),
        args: args.filter((word) => word !== undefined),
      };
    },
    help(topic) {
      noted.help = topic;
      return "";
    },
  });
  await run(application, [...words], {
    process: {
      stdout: { write: (piece) => void printed.push(piece) },
      stderr: { write: (piece) => void complaints.push(piece) },
      env: {},
    },
  });
  if (complaints.length > 0) throw usageError(words, complaints.join(""));
  if (noted.help !== null) return { kind: "text", text: await helpText(noted.help) };
  return noted.call ?? { kind: "text", text: printed.join("") };
}

/** What `--help` was asked of: everything, the commands under one word, or one command. */
type HelpTopic = "all" | { readonly word: string } | { readonly command: CommandSpec };

async function helpText(topic: HelpTopic): Promise<string> {
  const { rootHelp, groupHelp, commandHelp } = await import("./help-text.ts");
  if (topic === "all") return rootHelp();
  return "word" in topic ? groupHelp(topic.word) : commandHelp(topic.command);
}

interface Notes {
  call: (command: CommandSpec, flags: CommonFlags, args: readonly (string | undefined)[]) => void;
  /** Stands in for Stricli's own text, which is never shown. */
  help: (topic: HelpTopic) => string;
}

function createApplication([word]: readonly string[], notes: Notes) {
  const routes: Record<string, ReturnType<typeof createCommand> | ReturnType<typeof createGroup>> = {};
  const named = COMMANDS.filter(({ name }) => name.split(" ")[0] === word);
  // All of them are made only for what is no command, to say what it is near to.
  for (const command of named.length > 0 ? named : COMMANDS) {
    const [word, second] = command.name.split(" ") as [string, string?];
    if (second === undefined) routes[word] = createCommand(command, notes);
    else routes[word] ??= createGroup(word, notes);
  }
  const root = buildRouteMap({ routes, docs: { brief: "" } });
  return buildApplication(
    { ...root, formatHelp: () => notes.help("all") },
    {
      name: "swarm-gen",
      scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
      documentation: { caseStyle: "convert-camel-to-kebab", disableAnsiColor: true },
      localization: {
        text: {
          ...text_en,
          noCommandRegisteredForInput: ({ input, corrections }) =>
            corrections.length === 0
              ? `There is no command ${input}.`
              : `There is no command ${input}; did you mean ${corrections.join(" or ")}?`,
          exceptionWhileParsingArguments: complaintAbout,
        },
      },
    },
  );
}

/** What is wrong with the words after a command, with flags as they are typed. */
function complaintAbout(error: unknown): string {
  if (!(error instanceof ArgumentScannerError)) return messageOf(error);
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) =>
      `There is no flag --${input}${corrections.length === 0 ? "" : `; did you mean --${corrections.join(" or --")}?`}`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, input, exception }) =>
      `--${name} ${JSON.stringify(input)} is malformed: ${messageOf(exception)}.`,
    UnsatisfiedFlagError: ({ externalFlagName }) => `--${externalFlagName} needs a value.`,
    UnexpectedPositionalError: ({ expectedCount, input }) =>
      `There is one argument too many, ${JSON.stringify(input)}; ${expectedCount} at most.`,
    UnsatisfiedPositionalError: ({ placeholder, limit }) =>
      limit === undefined
        ? `${placeholder} is missing.`
        : `At least ${limit[0]} arguments are needed, not ${limit[1]}.`,
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function createGroup(word: string, notes: Notes) {
  const members = COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
  const group = buildRouteMap({
    routes: Object.fromEntries(
      members.map((command) => [command.name.slice(word.length + 1), createCommand(command, notes)]),
    ),
    docs: { brief: "" },
  });
  return { ...group, formatHelp: () => notes.help({ word }) };
}

function createCommand(command: CommandSpec, notes: Notes) {
  const flags = Object.fromEntries(
    Object.entries({ ...command.flags, ...COMMON_FLAGS }).map(([name, spec]) => [name, flagParameter(spec)]),
  );
  const parsed = buildCommand<CommonFlags, string[]>({
    func: (values, ...args) => notes.call(command, values, args),
    // The table's flags are data; Stricli's types want them spelt out per command.
    parameters: { flags, positional: positionalParameters(command.positionals) } as never,
    docs: { brief: command.brief },
  });
  return { ...parsed, formatHelp: () => notes.help({ command }) };
}

function flagParameter(spec: FlagSpec) {
  if (spec.kind === "switch") {
    return { kind: "boolean", brief: spec.brief, optional: true, withNegated: false } as const;
  }
  return {
    kind: "parsed",
    brief: spec.brief,
    placeholder: spec.placeholder,
    optional: spec.required !== true,
    parse: spec.parse,
  } as const;
}

function positionalParameters(positionals: readonly PositionalSpec[]) {
  const parameter = ({ placeholder, brief, arity }: PositionalSpec) => ({
    placeholder,
    brief,
    parse: String,
    optional: arity === "optional",
  });
  const many = positionals.find(({ arity }) => arity === "many");
  if (many === undefined) return { kind: "tuple", parameters: positionals.map(parameter) } as const;
  return { kind: "array", parameter: parameter(many), minimum: positionals.length - 1 } as const;
}

function usageError(words: readonly string[], complaint: string): CodedError {
  const command = COMMANDS.find(({ name }) => words.slice(0, name.split(" ").length).join(" ") === name);
  return new CodedError("invalid_input", complaint.trim(), {
    hint:
      command === undefined
        ? "swarm-gen --help lists the commands."
        : `swarm-gen ${command.name} --help shows its form.`,
  });
}
