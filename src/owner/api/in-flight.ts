/** How many requests are being answered: bounded for each actor, and waited for when the owner stops. */
import { CodedError } from "../../kernel/errors.ts";

const MOST_PER_ACTOR = 16;

export interface InFlight {
  /** Counts one of this actor's; the returned function ends it. `overloaded`. */
  enter(actor: string): () => void;
  /** Resolves once none is left. */
  drained(): Promise<void>;
}

export function createInFlight(): InFlight {
  const counts = new Map<string, number>();
  let waiting: (() => void)[] = [];
  return {
    enter(actor) {
      const count = counts.get(actor) ?? 0;
      if (count >= MOST_PER_ACTOR) {
        throw new CodedError("overloaded", `${actor} has ${count} requests in flight already.`, {
          hint: "Wait for an answer, then repeat the command under the same id.",
          fields: { actor, inFlight: count, changed: false },
        });
      }
      counts.set(actor, count + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (counts.get(actor) ?? 1) - 1;
        if (left === 0) counts.delete(actor);
        else counts.set(actor, left);
        if (counts.size > 0) return;
        for (const resolve of waiting) resolve();
        waiting = [];
      };
    },
    drained: () =>
      counts.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)),
  };
}
