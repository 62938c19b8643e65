/**
 * What a command is, to the parser, to `--help` and to docs/cli.md: data without behaviour.
 *
 * The behaviour stands in `commands/`, one file a command, and is loaded only when the command
 * runs; that is what keeps `--help` and the store's queries near the start-up of bare Node.
 */
import type { Answer, Call } from "./call.ts";

export interface CommandSpec {
  /** `stage`, `store gc`. */
  readonly name: string;
  readonly brief: string;
  /** What a reader of `--help` must know beside the brief; complete sentences. */
  readonly description?: string;
  readonly flags: Readonly<Record<string, FlagSpec>>;
  readonly positionals: readonly PositionalSpec[];
  readonly examples: readonly Example[];
  /** Names of the output schemas in `operations/schemas/`, with the flag that asks for each. */
  readonly outputs: readonly { readonly schema: string; readonly flag?: string }[];
  readonly load: () => Promise<CommandModule>;
}

export type FlagSpec =
  | { readonly kind: "switch"; readonly brief: string }
  | {
      readonly kind: "value";
      readonly brief: string;
      readonly placeholder: string;
      readonly required?: boolean;
      /** Throws a `CodedError` or `Error` whose message says what was expected. */
      readonly parse: (text: string) => unknown;
    };

export interface PositionalSpec {
  readonly placeholder: string;
  readonly brief: string;
  readonly arity: "one" | "optional" | "many";
}

export interface Example {
  /** A line of shell; `swarm-gen` is the command itself. */
  readonly line: string;
  readonly brief: string;
}

export interface CommandModule {
  // A method, so that each command may name the flags that its table row declares.
  run(call: Call): Promise<Answer> | Answer;
}

/** Flags that every command has. */
export interface CommonFlags {
  readonly json?: boolean;
  readonly profile?: string;
}
