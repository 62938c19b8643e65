/**
 * Who a process is, beyond a number that gets reused: pid, start time and boot together.
 * The port through which the store asks whether a holder still lives and what runs from a tree.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start of the process in the system's own units; compared for equality only. */
  readonly startTime: string;
  /** One run of one machine or container; see `src/census/boot.ts`. */
  readonly boot: string;
}

/** `unknown` is never taken for `dead`: what cannot be seen may still run. */
export type Liveness = "alive" | "dead" | "unknown";

/** A process that executes something below a folder: its interpreter, a mapped file or a script. */
export interface ExecutingProcess {
  readonly pid: number;
  readonly path: string;
  readonly command: string;
}

export interface ExecutionScan {
  readonly executing: readonly ExecutingProcess[];
  /** Own processes that could not be inspected; the scan is then not complete. */
  readonly unreadable: readonly number[];
}

export interface Processes {
  self(): ProcessIdentity;
  liveness(identity: ProcessIdentity): Liveness;
  /**
   * What runs from below `folder` (an absolute real path), of the caller's own user: one row for
   * each process and each entry of the folder that it runs from.
   */
  executingBelow(folder: string): ExecutionScan;
}
