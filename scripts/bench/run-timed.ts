/**
 * runTimed: one whole process, from its start to its end, in milliseconds.
 *
 * Both sides of every comparison are started here, so that what starting costs is in both. A
 * process that fails or hangs is an error: its time would say nothing.
 */
import { spawnSync } from "node:child_process";

export interface Timed {
  readonly ms: number;
  readonly stdout: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10 * 60_000;
const OUTPUT_BYTES = 256 * 1024 * 1024;
const SHOWN_CHARACTERS = 600;

export function runTimed(program: string, args: readonly string[], options: RunOptions = {}): Timed {
  const startedAt = performance.now();
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    env: options.env ?? process.env,
    cwd: options.cwd,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    maxBuffer: OUTPUT_BYTES,
  });
  const ms = performance.now() - startedAt;
  if (status === 0) return { ms, stdout };
  const ended = error?.message ?? (signal === null ? `exit code ${status}` : `signal ${signal}`);
  const said = `${stderr ?? ""}${stdout ?? ""}`.trim().slice(-SHOWN_CHARACTERS);
  throw new Error(`${[program, ...args].join(" ").slice(0, 200)}: ${ended}: ${said}`);
}
