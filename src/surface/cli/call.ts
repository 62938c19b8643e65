/**
 * One call of a command: what it is given, and what it answers.
 *
 * A command computes; `run-cli.ts` prints. So `--json` cannot differ from what the operation
 * returned, and text from outside is cleaned at one place.
 */
import type { Clock } from "../../kernel/clock.ts";
import type { HomeFolders } from "../../operations/home.ts";
import type { HostInspection } from "../../operations/host-inspection.ts";
import type { OperationContext } from "../../operations/operation-context.ts";
import type { ScopePorts } from "../../operations/scope/scope-place.ts";
import type { CommonFlags } from "./command-spec.ts";
import type { Style } from "./render/style.ts";

/** The process that the command line runs in; built in `main.ts`, and by tests. */
export interface CliHost {
  /** Without the interpreter and the program. */
  readonly argv: readonly string[];
  /** Of swarm-gen itself. */
  readonly version: () => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly userName: () => string;
  readonly clock: Clock;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly openStore: (root: string) => Promise<OperationContext["store"]>;
  readonly inspect: () => Promise<HostInspection>;
  /** What a scope's owner is found, started and spoken to with. */
  readonly scopePorts: () => ScopePorts;
  /** A file's content; throws the system's error. */
  readonly readText: (path: string) => string;
  /** Makes a file that only this user can read; throws the system's error, `EEXIST` where one is. */
  readonly makePrivateFile: (path: string, text: string) => void;
  readonly removeFile: (path: string) => void;
  /** Replaces the process by a program, under the same process id. */
  readonly exec: (file: string, argv: readonly string[], env: Readonly<Record<string, string>>) => never;
  /** The number of the signal that asked to stop, or null. */
  readonly interruptedBy: () => number | null;
  /** Aborted by the same signal. */
  readonly interruption: AbortSignal;
}

export interface Output {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Resolves once more may be written. */
  write(piece: string | Uint8Array): Promise<void>;
}

export interface Call<Flags extends CommonFlags = CommonFlags> {
  readonly flags: Flags;
  readonly args: readonly string[];
  readonly host: CliHost;
  readonly profile: string;
  readonly folders: () => HomeFolders;
  /** Opens the store on first use; the runner closes it. */
  readonly context: () => Promise<OperationContext>;
  readonly closeStore: () => void;
}

export interface Answer {
  /** What `--json` prints; undefined where stdout was written already. */
  readonly output?: unknown;
  /** The same for people; cleaned line by line unless it is `verbatim`. */
  readonly text?: (style: Style) => string;
  /** `text` is data whose bytes count (sums, ids); cleaned only on a terminal. */
  readonly verbatim?: boolean;
  /** Sentences for stderr, with and without `--json`. */
  readonly notes?: readonly string[];
  readonly exitCode?: number;
}
