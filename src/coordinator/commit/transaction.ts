/**
 * What a command works with while it is applied: the ledger, one instant and fresh ids. A command
 * is a plain synchronous function of these, so it can be simulated, and nothing in it can wait.
 */
import type { Ids } from "../../kernel/clock.ts";
import type { Writing } from "./statements.ts";

export interface Transaction extends Writing {
  /** Milliseconds since the epoch; one value for all that a command writes. */
  readonly now: number;
  readonly ids: Ids;
  /** Appends to the feed; readers see it once the transaction is committed. */
  emit(event: NewEvent): void;
}

export interface NewEvent {
  /** `task.claimed`, `launch.bound`: entity and past participle. */
  readonly type: string;
  /** The id of what it happened to. */
  readonly entity: string;
  /** Plain data without secrets. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Who calls, as the capability proved it. */
export interface Caller {
  readonly actor: string;
  readonly kind: "operator" | "lead" | "worker" | "launcher";
  readonly revision: number;
  readonly consumer: Consumer;
}

/** What takes a worker's mail: its MCP process, its hooks, or a program that fetches. */
export type Consumer = "channel" | "hook" | "script";
