/**
 * One client process of the benchmark: adds a task, claims it and finishes it, again and again,
 * until the time is over; then prints how often, and how long its longest waits were.
 *
 *   usage   node api-child.ts '{"socket":…,"lead":…,"worker":…}'
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createClient } from "../../../src/client/index.ts";
import { printWaits, untilOver } from "./child-clock.ts";

interface Given {
  /** The owner's socket. */
  readonly socket: string;
  readonly lead: string;
  readonly worker: string;
}

const given = JSON.parse(process.argv[2] ?? "") as Given;
const ports = {
  locate: () => given.socket,
  clock: { now: () => Date.now() },
  ids: { hex: (bytes: number) => randomBytes(bytes).toString("hex") },
  timers: {
    monotonicNow: () => performance.now(),
    after(ms: number, run: () => void) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  },
};
const clientOf = (file: string) => createClient({ ...ports, capability: readFileSync(file, "utf8").trim() });
const [lead, worker] = [clientOf(given.lead), clientOf(given.worker)];
const brief = { objective: "nothing" };

const waits = await untilOver(async (timed) => {
  const { task } = await timed(() => lead.call<{ task: string }>("task add", { title: "nothing", brief }));
  const { fence } = await timed(() => worker.call<{ fence: number }>("attempt claim", { task }));
  await timed(() => worker.call("attempt finish", { task, fence, outcome: "completed" }));
});
lead.close();
worker.close();
printWaits(waits);
