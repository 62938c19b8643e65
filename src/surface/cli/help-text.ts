/** What `--help` prints, from the command table. */
import type { CommandSpec, FlagSpec, PositionalSpec } from "./command-spec.ts";
import { COMMAND_GROUPS, COMMANDS, type HelpLine } from "./command-table.ts";
import { COMMON_FLAGS } from "./common-flags.ts";
import { flagName } from "./flag-name.ts";

/** Of a command, of the commands under one word, or with no words of all; null for another text. */
export function helpAbout(words: string): string | null {
  if (words === "") return rootHelp();
  const command = COMMANDS.find(({ name }) => name === words);
  if (command !== undefined) return commandHelp(command);
  return membersOf(words).length > 0 ? groupHelp(words) : null;
}

/** `swarm-gen --help`. */
export function rootHelp(): string {
  const rows = COMMAND_GROUPS.map(({ lines }) => lines.map(helpRow));
  const common: Row[] = [...flagRows(COMMON_FLAGS), ["--help", "flags and examples of the command"]];
  const width = widthOf([...rows.flat(), ...common]);
  const groups = COMMAND_GROUPS.flatMap(({ title }, at) => [title, ...columns(rows[at] ?? [], width), ""]);
  return lines([
    "Usage: swarm-gen COMMAND [ARGUMENTS]",
    "",
    "Immutable, content-addressed runtimes for swarms of interactive coding agents, and their work.",
    "",
    ...groups,
    "With every command",
    ...columns(common, width),
    "",
    "SWARM_GEN_HOME moves everything that swarm-gen keeps (default: the XDG folders).",
  ]);
}

/** `task add, ls, show  what is to be done`. */
function helpRow(line: HelpLine): [string, string] {
  if ("name" in line) return [line.name, COMMANDS.find(({ name }) => name === line.name)?.brief ?? ""];
  if ("names" in line) return [line.names.join(", "), line.brief];
  const { noun, brief } = line;
  const verbs = membersOf(noun).map(({ name }) => name.slice(noun.length + 1));
  return [noun, `${brief}: ${verbs.join(", ")}`];
}

function membersOf(noun: string): CommandSpec[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${noun} `));
}

/** `swarm-gen store --help`: the commands that begin with one word. */
export function groupHelp(word: string): string {
  return lines([
    `Usage: swarm-gen ${word} COMMAND [ARGUMENTS]`,
    "",
    ...columns(membersOf(word).map(({ name, brief }) => [name, brief])),
  ]);
}

/** `swarm-gen COMMAND --help`. */
export function commandHelp(command: CommandSpec): string {
  const { brief, description, positionals, flags, examples } = command;
  return lines([
    `Usage: ${usageLine(command)}`,
    "",
    `${brief[0]?.toUpperCase()}${brief.slice(1)}.`,
    ...(description === undefined ? [] : wrap(description)),
    "",
    ...(positionals.length === 0
      ? []
      : [
          "Arguments",
          ...columns(positionals.map((positional) => [positional.placeholder, positional.brief])),
          "",
        ]),
    "Flags",
    ...columns([...flagRows(flags), ...flagRows(COMMON_FLAGS), ["--help", "this text"]]),
    "",
    "Examples",
    ...examples.flatMap((example) => [`  ${example.line}`, `      ${example.brief}`]),
  ]);
}

/** `swarm-gen export ID --to FILE [FLAGS]`. */
export function usageLine({ name, positionals, flags }: CommandSpec): string {
  const required = Object.entries(flags).flatMap(([flag, spec]) =>
    spec.kind === "value" && spec.required === true ? [`${flagName(flag)} ${spec.placeholder}`] : [],
  );
  return ["swarm-gen", name, ...positionals.map(positionalForm), ...required, "[FLAGS]"].join(" ");
}

export function flagRows(flags: Readonly<Record<string, FlagSpec>>): [string, string][] {
  return Object.entries(flags).map(([name, spec]) => [
    spec.kind === "value" ? `${flagName(name)} ${spec.placeholder}` : flagName(name),
    spec.brief,
  ]);
}

function positionalForm({ placeholder, arity }: PositionalSpec): string {
  if (arity === "one") return placeholder;
  return arity === "optional" ? `[${placeholder}]` : `[${placeholder}…]`;
}

type Row = readonly [left: string, right: string];

const widthOf = (rows: readonly Row[]): number => Math.max(...rows.map(([left]) => left.length));

function columns(rows: readonly Row[], width = widthOf(rows)): string[] {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

const WIDTH = 96;

function wrap(text: string): string[] {
  const wrapped = [""];
  for (const word of text.split(" ")) {
    const line = wrapped.at(-1) ?? "";
    if (line === "") wrapped[wrapped.length - 1] = word;
    else if (line.length + word.length < WIDTH) wrapped[wrapped.length - 1] = `${line} ${word}`;
    else wrapped.push(word);
  }
  return wrapped;
}

function lines(parts: readonly string[]): string {
  return `${parts.join("\n")}\n`;
}
