/**
 * One process, no socket: the coordinator and plainjob's queue, each with a flush before anybody
 * hears of a change.
 *
 * Ours are many workers at once, who share transactions; a call of plainjob's is a transaction of
 * its own, and its callers cannot share one. Both sides get their work beforehand, untimed, where
 * it is not what is measured.
 */
import type { Bench } from "../bench.ts";
import type { Row } from "../row.ts";
import { type LedgerInProcess, openLedgerInProcess } from "./ledger-in-process.ts";
import { openPlainjob } from "./plainjob-queue.ts";

const CYCLES = { full: 4000, reduced: 200 };
const WORKERS = [1, 8, 64];
/** 1.5 times the rate. */
const AT_MOST = 1 / 1.5;
/** What the target means: a swarm. */
const JUDGED = 64;

export async function measureInProcess(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const workers of WORKERS) {
    rows.push(await compareWith(bench, workers, "claim + finish", claimAndFinish, takeAndMark));
    rows.push(await compareWith(bench, workers, "send + fetch + ack", sendFetchAck, addTakeAndMark));
  }
  return rows;
}

type Ours = (ledger: LedgerInProcess, workers: number, cycles: number) => Promise<number>;
type Theirs = (queue: ReturnType<typeof openPlainjob>, cycles: number) => number;

async function compareWith(
  bench: Bench,
  workers: number,
  operation: string,
  ours: Ours,
  theirs: Theirs,
): Promise<Row> {
  const cycles = bench.reduced ? CYCLES.reduced : CYCLES.full;
  const [oursMs, theirsMs]: [number[], number[]] = [[], []];
  const runOurs = async () => {
    const ledger = openLedgerInProcess(bench.fresh("ledger.sqlite"));
    oursMs.push(await ours(ledger, workers, cycles));
    ledger.coordinator.close();
  };
  const runTheirs = () => {
    const queue = openPlainjob(bench.fresh("plainjob.sqlite"));
    theirsMs.push(theirs(queue, cycles));
    queue.close();
  };
  for (let round = 0; round < bench.rounds; round += 1) {
    if (round % 2 === 0) await runOurs();
    runTheirs();
    if (round % 2 === 1) await runOurs();
  }
  const rate = Math.round((cycles / (oursMs.toSorted((a, b) => a - b)[0] ?? 1)) * 1000);
  return {
    kind: "compared",
    operation: `${operation}, ${cycles} times, ${workers} at once`,
    against: "plainjob",
    oursMs,
    theirsMs,
    atMost: workers === JUDGED ? AT_MOST : null,
    note: `${rate} a second at best`,
  };
}

async function claimAndFinish(ledger: LedgerInProcess, workers: number, cycles: number): Promise<number> {
  const lead = await ledger.enroll("lead");
  const callers = await Promise.all(Array.from({ length: workers }, () => ledger.enroll("worker")));
  const brief = { objective: "nothing" };
  const tasks = await Promise.all(
    Array.from({ length: cycles }, (_, index) =>
      ledger.call<{ task: string }>("task add", lead, { title: `task ${index}`, brief }),
    ),
  );
  return timed(async () => {
    await Promise.all(
      callers.map(async (caller) => {
        for (let next = tasks.pop(); next !== undefined; next = tasks.pop()) {
          const { task } = next;
          const { fence } = await ledger.call<{ fence: number }>("attempt claim", caller, { task });
          await ledger.call("attempt finish", caller, { task, fence, outcome: "completed" });
        }
      }),
    );
  });
}

async function sendFetchAck(ledger: LedgerInProcess, workers: number, cycles: number): Promise<number> {
  const lead = await ledger.enroll("lead");
  const callers = await Promise.all(Array.from({ length: workers }, () => ledger.enroll("worker")));
  return timed(async () => {
    await Promise.all(
      callers.map(async (caller) => {
        for (let done = 0; done < cycles / workers; done += 1) {
          await ledger.call("inbox send", lead, { to: [caller.actor], kind: "note", body: "nothing" });
          const { envelope } = await ledger.call<{ envelope: { message: string; leaseToken: string } }>(
            "inbox fetch",
            caller,
            {},
          );
          const { message, leaseToken } = envelope;
          await ledger.call("inbox ack", caller, { message, leaseToken });
        }
      }),
    );
  });
}

function takeAndMark(queue: ReturnType<typeof openPlainjob>, cycles: number): number {
  queue.addMany(
    "task",
    Array.from({ length: cycles }, () => ({ objective: "nothing" })),
  );
  return timedNow(() => {
    for (let done = 0; done < cycles; done += 1) take(queue);
  });
}

function addTakeAndMark(queue: ReturnType<typeof openPlainjob>, cycles: number): number {
  return timedNow(() => {
    for (let done = 0; done < cycles; done += 1) {
      queue.add("task", { body: "nothing" });
      take(queue);
    }
  });
}

function take(queue: ReturnType<typeof openPlainjob>): void {
  const job = queue.getAndMarkJobAsProcessing("task");
  if (job === undefined) throw new Error("plainjob had no job");
  queue.markJobAsDone(job.id);
}

async function timed(run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function timedNow(run: () => void): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}
