/**
 * Denials on the feed: who was refused what for want of authority.
 *
 * The same denial again within a while adds no event, so that a client that tries for ever does
 * not fill the feed; the next event says how many there were.
 */
import type { Coordinator } from "../../coordinator/create-coordinator.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { CodedError } from "../../kernel/errors.ts";

const QUIET_MS = 10_000;
const MOST_REMEMBERED = 1000;

export interface Denials {
  /** `actor` is null for a caller that proved nothing. */
  note(denial: {
    readonly actor: string | null;
    readonly operation: string;
    readonly error: CodedError;
  }): void;
}

const CODES: ReadonlySet<string> = new Set(["unauthorized", "forbidden", "enrollment_revoked"]);

export function createDenials({
  coordinator,
  clock,
}: {
  readonly coordinator: Pick<Coordinator, "submit">;
  readonly clock: Clock;
}): Denials {
  const known = new Map<string, { at: number; unsaid: number }>();
  return {
    note({ actor, operation, error: { code } }) {
      if (!CODES.has(code)) return;
      const key = JSON.stringify([actor, operation, code]);
      const before = known.get(key);
      const now = clock.now();
      if (before !== undefined && Math.abs(now - before.at) < QUIET_MS) {
        before.unsaid += 1;
        return;
      }
      if (known.size >= MOST_REMEMBERED) known.clear();
      known.set(key, { at: now, unsaid: 0 });
      const payload = { operation, code, times: 1 + (before?.unsaid ?? 0) };
      const event = { type: "call.denied", entity: actor ?? "unknown", payload };
      // Nobody waits for it; a disk that is full refuses the caller's next command itself.
      coordinator.submit({ record: null, execute: (tx) => tx.emit(event) }).catch(() => {});
    },
  };
}
