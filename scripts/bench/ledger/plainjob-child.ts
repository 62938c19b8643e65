/**
 * One process of plainjob's side: adds a job, takes one and marks it done, until the time is over.
 *
 * plainjob reads before it writes in one transaction, so SQLite refuses it at once where another
 * process wrote in between, whatever its busy time-out is. Whoever uses it has to call again; the
 * wait is counted from the first call.
 *
 *   usage   node plainjob-child.ts '{"path":…}'
 */
import { printWaits, untilOver } from "./child-clock.ts";
import { openPlainjob } from "./plainjob-queue.ts";

const given = JSON.parse(process.argv[2] ?? "") as { readonly path: string };
const queue = openPlainjob(given.path);
const waits = await untilOver(async (timed) => {
  await timed(() => untilFree(() => queue.add("task", { objective: "nothing" })));
  const job = await timed(() => untilFree(() => queue.getAndMarkJobAsProcessing("task")));
  // Another process may have taken it; its own adding gives this one the next.
  if (job !== undefined) await timed(() => untilFree(() => queue.markJobAsDone(job.id)));
});
queue.close();
printWaits(waits);

function untilFree<Output>(call: () => Output): Output {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (!(error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY")))
        throw error;
    }
  }
}
