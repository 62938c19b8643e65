/** Timers as a port: what waits asks for them, so that a test or a simulation decides when time passes. */
export interface Timers {
  /** Milliseconds from any beginning. How long something took is told by this alone: a wall clock may be set. */
  monotonicNow(): number;
  /** Calls back once, `ms` milliseconds from now; the returned function calls it off. */
  after(ms: number, callback: () => void): () => void;
}

/** Resolves `ms` milliseconds from now, or when `signal` is aborted, whichever is first. */
export function pause(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    signal?.addEventListener("abort", end);
  });
}
