/**
 * One process of plainjob's side: adds a job, takes one and marks it done, until the time is over.
 *
 *   usage   node plainjob-child.ts '{"path":…}'
 */
import { printWaits, untilOver } from "./child-clock.ts";
import { openPlainjob } from "./plainjob-queue.ts";

const given = JSON.parse(process.argv[2] ?? "") as { readonly path: string };
const queue = openPlainjob(given.path);
const waits = await untilOver(async (timed) => {
  await timed(() => queue.add("task", { objective: "nothing" }));
  const job = await timed(() => queue.getAndMarkJobAsProcessing("task"));
  // Another process may have taken it; its own adding gives this one the next.
  if (job !== undefined) await timed(() => queue.markJobAsDone(job.id));
});
queue.close();
printWaits(waits);
