/**
 * The coordinator of one scope: the single writer of its ledger.
 *
 * Commands are submitted and share transactions; queries read what is committed. It owns the
 * connection, and nothing else: no socket, no timer, no clock of its own.
 */
import type { Clock, Ids } from "../kernel/clock.ts";
import type { Failpoints } from "../kernel/failpoints.ts";
import { createGroupCommit, type FirstCommand, type GroupCommit } from "./commit/group-commit.ts";
import { createStatements, type Reading } from "./commit/statements.ts";
import { closeLedger } from "./ledger/close-ledger.ts";
import type { LedgerDatabase } from "./ledger/open-ledger.ts";

export interface CoordinatorDeps {
  readonly db: LedgerDatabase;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly failpoints: Failpoints;
  /** Calls back in a later turn of the event loop. */
  readonly defer: (next: () => void) => void;
  /** Asked before each batch, with its instant: what has to come first in it. */
  readonly before?: ((now: number) => FirstCommand | null) | undefined;
}

export interface Coordinator extends GroupCommit {
  readonly reading: Reading;
  /** `listener` hears the newest event's number after each commit that added events; returns the end of it. */
  onEvents(listener: (lastEvent: number) => void): () => void;
  /** Applies what waits, folds the log into the file and closes it. */
  close(): void;
}

export function createCoordinator({ db, ...deps }: CoordinatorDeps): Coordinator {
  const statements = createStatements(db);
  const listeners = new Set<(lastEvent: number) => void>();
  const commit = createGroupCommit({
    ...deps,
    db,
    statements,
    onEvents(lastEvent) {
      for (const listener of listeners) listener(lastEvent);
    },
  });
  return {
    ...commit,
    reading: statements,
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      // What reads a stopped owner's ledger tells until when it was served; a full disk may keep that out.
      void commit.submit({ record: null, execute: (tx) => tx.run(NOTE_SERVICE, { now: tx.now }) });
      commit.flush();
      closeLedger(db);
    },
  };
}

const NOTE_SERVICE = "UPDATE service SET served_at = @now";
