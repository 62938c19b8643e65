/**
 * The port through which sources run other programs (npm, git, the interpreter, ldd), and its one
 * implementation. A program that fails is an outcome, not an exception: every caller has its own
 * idea of what that means.
 */
export interface CommandRequest {
  /** Absolute, or a name that is looked up in `env.PATH`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
}

export type CommandResult =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | {
      readonly kind: "not-run" | "timed-out" | "aborted" | "killed";
      readonly why: string;
      readonly stdout: string;
      readonly stderr: string;
    };

export type RunCommand = (request: CommandRequest) => Promise<CommandResult>;

/** More than any of our programs prints; a bound on what a broken one can make us hold. */
const OUTPUT_CHARACTERS = 16 * 1024 * 1024;

export function createRunCommand(): RunCommand {
  return async ({ file, args, cwd, env, timeoutMs, signal, onLine }) => {
    const { execa } = await import("execa");
    function* told(line: unknown) {
      if (String(line).trim() !== "") onLine?.(String(line));
      yield line;
    }
    const result = await execa(file, args, {
      cwd,
      env,
      extendEnv: false,
      reject: false,
      stdin: "ignore",
      stdout: onLine === undefined ? "pipe" : told,
      stderr: onLine === undefined ? "pipe" : told,
      maxBuffer: OUTPUT_CHARACTERS,
      timeout: timeoutMs,
      ...(signal === undefined ? {} : { cancelSignal: signal }),
    });
    const stdout = String(result.stdout ?? "");
    const stderr = String(result.stderr ?? "");
    if (result.timedOut)
      return { kind: "timed-out", why: `took longer than ${timeoutMs} ms`, stdout, stderr };
    if (result.isCanceled) return { kind: "aborted", why: "was called off", stdout, stderr };
    if (result.exitCode !== undefined) return { kind: "exited", code: result.exitCode, stdout, stderr };
    if (result.signal !== undefined)
      return { kind: "killed", why: `was ended by ${result.signal}`, stdout, stderr };
    return {
      kind: "not-run",
      why: result.originalMessage ?? result.shortMessage ?? "did not start",
      stdout,
      stderr,
    };
  };
}
