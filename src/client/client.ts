/**
 * The client of a scope's owner, as its callers see it.
 *
 * A command that was sent is neither lost nor doubled: each carries an id, and after a lost
 * connection or a restart of the owner it is sent again under the same id, which gets the recorded
 * answer (LEDGER-7). Every refusal is a `CodedError` of the catalogue.
 */
import type { ProcessIdentity } from "../kernel/processes.ts";

export interface Client {
  /**
   * Calls an operation by its name (`task add`). `input` is checked by the owner. Throws the
   * refusal, `owner_unavailable`, or `coordinator_version_mismatch`.
   */
  call<Output>(operation: string, input: unknown, options?: CallOptions): Promise<Output>;
  /** Several calls in one request, in their order; each has an answer of its own. */
  batch(calls: readonly BatchCall[]): Promise<readonly BatchAnswer[]>;
  /** Follows the feed until `signal` is aborted; goes on where it was after a lost connection. */
  events(request: FollowRequest): Promise<void>;
  /** What the owner says of itself. */
  descriptor(): Promise<OwnerDescriptor>;
  /** Ends the connections; calls that wait are refused as `owner_unavailable`. */
  close(): void;
}

export interface CallOptions {
  /** A UUIDv7. A caller that repeats a call after its own crash gives the same one; absent makes one. */
  readonly commandId?: string;
  readonly signal?: AbortSignal;
}

export interface BatchCall {
  readonly operation: string;
  readonly input: unknown;
  readonly commandId?: string;
}

export type BatchAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: Error };

export interface FollowRequest {
  /** The number of the last event seen; 0 begins with the oldest that the feed still has. */
  readonly after: number;
  readonly onEvent: (event: FollowedEvent) => void;
  /** Told when events between two numbers are no longer kept. */
  readonly onGap?: (gap: { readonly after: number; readonly first: number }) => void;
  readonly signal: AbortSignal;
}

export interface FollowedEvent {
  readonly seq: number;
  readonly type: string;
  readonly entity: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Versions are compared by `api` alone; the rest is for people and for the gate. */
export interface OwnerDescriptor {
  readonly scope: string;
  readonly root: string;
  readonly profile: string;
  /** The ledger's instance. */
  readonly instance: string;
  /** The generation that the owner runs from; null for a build outside of the store. */
  readonly generation: string | null;
  /** Version of the program, for people. */
  readonly build: string;
  /** The oldest and the newest version of the API that it speaks. */
  readonly api: readonly [least: number, newest: number];
  /** It was started while admission was closed: a replacement of its generation may have been under way. */
  readonly probation: boolean;
  /** The port on 127.0.0.1, where it serves there too. */
  readonly tcpPort: number | null;
  readonly schema: { readonly major: number; readonly minor: number };
  readonly process: ProcessIdentity;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly state: "serving" | "stopping";
}
