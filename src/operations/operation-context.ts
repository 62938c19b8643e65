/** What every operation works with; the surfaces build it, the operations never reach around it. */
import type { Clock } from "../kernel/clock.ts";
import type { StageProgress, Store } from "../store/store.ts";

export interface OperationContext {
  readonly store: Store;
  readonly profile: string;
  /** Who acts, as history shows it. */
  readonly by: string;
  readonly clock: Clock;
  /** Only tells; never throws. */
  readonly onProgress: (progress: StageProgress) => void;
  /** Aborted once the caller wants the operation to stop. */
  readonly signal: AbortSignal;
}

/** For store operations that stop by what their report throws, at the next one. */
export function stoppingProgress({ onProgress, signal }: OperationContext): OperationContext["onProgress"] {
  return (progress) => {
    signal.throwIfAborted();
    onProgress(progress);
  };
}
