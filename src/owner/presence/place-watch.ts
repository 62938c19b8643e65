/**
 * Sees to it that the owner is still where people look for it: every other second, its ledger and its
 * socket.
 *
 * A ledger that was moved or removed under a running owner takes writes as before, which nobody will
 * ever read again. So the owner ends, and says why.
 */
import { lstatSync } from "node:fs";
import { systemCode } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";

export const LOOK_EVERY_MS = 2_000;

export interface PlaceWatchRequest {
  readonly ledger: string;
  readonly timers: Timers;
  /** Looks after the socket; what it throws is told to `onFailure`, once, and it is asked again. */
  readonly lookAtSocket: () => Promise<void>;
  readonly onFailure: (message: string) => void;
  readonly onLedgerGone: () => void;
}

/** Begins now; the returned function ends it. Never opens the ledger: that would drop SQLite's locks. */
export function watchPlace(request: PlaceWatchRequest): () => void {
  const { ledger, timers, lookAtSocket, onFailure, onLedgerGone } = request;
  const opened = identityOf(ledger);
  let isOver = false;
  let cancel: () => void = () => {};
  let lastFailure: string | null = null;
  const look = async () => {
    try {
      if (identityOf(ledger) !== opened) return onLedgerGone();
      await lookAtSocket();
      lastFailure = null;
    } catch (error) {
      const message = String(error);
      if (message !== lastFailure) onFailure(message);
      lastFailure = message;
    }
    next();
  };
  const next = () => {
    if (!isOver) cancel = timers.after(LOOK_EVERY_MS, () => void look());
  };
  next();
  return () => {
    isOver = true;
    cancel();
  };
}

/** Null where nothing is there. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}
