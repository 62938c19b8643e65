/** What every operation works with; the surfaces build it, the operations never reach around it. */
import type { Clock } from "../kernel/clock.ts";
import type { StageProgress, Store } from "../store/store.ts";

export interface OperationContext {
  readonly store: Store;
  readonly profile: string;
  /** Who acts, as history shows it. */
  readonly by: string;
  readonly clock: Clock;
  readonly onProgress: (progress: StageProgress) => void;
}
