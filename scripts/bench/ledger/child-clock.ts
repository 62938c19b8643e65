/** What the client processes of both sides share: when to begin and end, and what they waited. */
import { once } from "node:events";

interface Span {
  /** Milliseconds since the epoch, the same for all children of a run. */
  readonly startAt: number;
  readonly endAt: number;
}

export interface Waits {
  readonly cycles: number;
  /** The milliseconds of every single call. */
  readonly waitsMs: readonly number[];
}

type Timed = <Output>(call: () => Output | Promise<Output>) => Promise<Output>;

/**
 * Says "ready", is told on stdin when all are, and runs `cycle` again and again until the time is
 * over; a cycle that has begun is ended and counted.
 */
export async function untilOver(cycle: (timed: Timed) => Promise<void>): Promise<Waits> {
  process.stdout.write("ready\n");
  const [told] = (await once(process.stdin.setEncoding("utf8"), "data")) as [string];
  process.stdin.destroy();
  const { startAt, endAt } = JSON.parse(told) as Span;
  const waitsMs: number[] = [];
  const timed: Timed = async (call) => {
    const startedAt = performance.now();
    const output = await call();
    waitsMs.push(performance.now() - startedAt);
    return output;
  };
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, startAt - Date.now())));
  let cycles = 0;
  while (Date.now() < endAt) {
    await cycle(timed);
    cycles += 1;
  }
  return { cycles, waitsMs };
}

/** `{cycles, worstMs, p50Ms, p99Ms}` on stdout. */
export function printWaits({ cycles, waitsMs }: Waits): void {
  const sorted = waitsMs.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  process.stdout.write(JSON.stringify({ cycles, worstMs: at(1), p50Ms: at(0.5), p99Ms: at(0.99) }));
}
