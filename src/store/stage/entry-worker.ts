/** The main of a worker thread: performs the batches that it is sent, and answers each. */
import { parentPort, workerData } from "node:worker_threads";
import { invariant, systemCode } from "../../kernel/errors.ts";
import { createLayout } from "../layout.ts";
import { createNodeFileSystem } from "../node-file-system.ts";
import type { WorkerAnswer, WorkerRequest, WorkerSettings } from "./entry-pool.ts";
import { createEntryTasks } from "./entry-tasks.ts";
import { createContentSharer } from "./share-content.ts";

invariant(parentPort !== null, "this file runs as a worker thread");
const port = parentPort;
const { storeRoot, choice, ownPaths } = workerData as WorkerSettings;
const fs = createNodeFileSystem();
const tasks = createEntryTasks({
  fs,
  layout: createLayout(storeRoot),
  sharer: createContentSharer(fs, choice),
  ownPaths,
});

port.on("message", ({ task, jobs }: WorkerRequest) => {
  let answer: WorkerAnswer;
  try {
    answer = { outcomes: jobs.map(tasks[task] as (job: unknown) => unknown) };
  } catch (error) {
    // Errors lose their code when they are cloned, so it travels beside the message.
    const message = error instanceof Error ? error.message : String(error);
    const path =
      error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : null;
    answer = { failure: { message, code: systemCode(error), path } };
  }
  port.postMessage(answer);
});
