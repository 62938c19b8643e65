/**
 * One build of one key at a time, over all processes: the only place that uses `proper-lockfile`.
 *
 * It keeps a lock alive by a timer. When the process was stopped or its loop blocked for long, the
 * lock counts as stale and another process takes it; the library then tells by a callback, whose
 * default throws out of a timer. Here it aborts `signal` instead: a build that is still running
 * ends with a typed error, and one that is done has nothing to lose.
 */
import { CodedError, systemCode } from "../../kernel/errors.ts";

export interface BuildLockDeps {
  /** Waits `ms` milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

export interface BuildLockRequest {
  /** The file that the lock is about; the lock itself is the folder `<path>.lock`. */
  readonly path: string;
  /** How long to wait for another process, in milliseconds. */
  readonly waitMs: number;
  /** Called once, when another process holds it. */
  readonly onWait: () => void;
  /** How long a holder may be silent, in milliseconds; at least 2,000. */
  readonly staleMs?: number;
  /** Ends the wait; `build_failed` is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface BuildLock {
  /** Aborted, with a `CodedError` as its reason, once the lock is lost. */
  readonly signal: AbortSignal;
  /** Never throws. */
  release(): Promise<void>;
}

const POLL_MS = 100;
const STALE_MS = 10_000;

/** Throws `overloaded` where another process holds it for longer than `waitMs`. */
export async function takeBuildLock(deps: BuildLockDeps, request: BuildLockRequest): Promise<BuildLock> {
  const { lock } = await import("proper-lockfile");
  const lost = new AbortController();
  const options = {
    realpath: false,
    lockfilePath: `${request.path}.lock`,
    stale: request.staleMs ?? STALE_MS,
    onCompromised: (cause: Error) => lost.abort(lockLost(request.path, cause)),
  };
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    try {
      const release = await lock(request.path, options);
      return { signal: lost.signal, release: () => release().catch(ignoreLost) };
    } catch (error) {
      if (systemCode(error) !== "ELOCKED") throw error;
      if (waitedMs >= request.waitMs) throw stillLocked(request, error);
      if (waitedMs === 0) request.onWait();
      await deps.pause(POLL_MS);
      if (request.signal?.aborted) throw calledOff(request.signal);
    }
  }
}

export function calledOff({ reason }: AbortSignal): CodedError {
  return new CodedError("build_failed", "The build of the dependencies was called off.", {
    cause: reason,
    hint: "Run the command again to build them.",
    fields: { changed: false },
  });
}

/** A lock that was lost, or whose folder is gone, is released already. */
function ignoreLost(error: unknown): void {
  const code = systemCode(error);
  if (code === null) throw error;
}

function lockLost(path: string, cause: Error): CodedError {
  return new CodedError("build_failed", `The lock of the build ${path} was lost to another process.`, {
    cause,
    hint: "Run the command again; it takes what the other process has built.",
    fields: { lock: `${path}.lock`, changed: false },
  });
}

function stillLocked({ path, waitMs }: BuildLockRequest, cause: unknown): CodedError {
  return new CodedError(
    "overloaded",
    `Another process is still building the same dependencies after ${Math.round(waitMs / 1000)} s.`,
    {
      cause,
      hint: `Run the command again once it is done; it holds ${path}.lock`,
      fields: { lock: `${path}.lock`, changed: false },
    },
  );
}
