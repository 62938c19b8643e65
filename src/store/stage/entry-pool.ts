/**
 * Does the same to many entries at once: in this thread for a small tree, in two worker threads
 * for a large one. Two, because more only contend for the disk and the directory locks.
 */
import { Worker } from "node:worker_threads";
import type { EntryTaskName, EntryTasks } from "./entry-tasks.ts";
import type { ImportChoice } from "./share-content.ts";

type Job<Name extends EntryTaskName> = Parameters<EntryTasks[Name]>[0];
type Outcome<Name extends EntryTaskName> = ReturnType<EntryTasks[Name]>;

export interface EntryPool {
  /** Outcomes in the jobs' order. `onDone` is told of each finished batch. */
  run<Name extends EntryTaskName>(
    task: Name,
    jobs: readonly Job<Name>[],
    onDone?: (files: number, bytes: number) => void,
  ): Promise<Outcome<Name>[]>;
  close(): Promise<void>;
}

const BATCH_FILES = 256;
const BATCH_BYTES = 16 * 1024 * 1024;

export function createInlinePool(tasks: EntryTasks): EntryPool {
  return {
    async run(task, jobs, onDone) {
      const outcomes: Outcome<typeof task>[] = [];
      const perform = tasks[task] as (job: Job<typeof task>) => Outcome<typeof task>;
      for (const batch of batches(jobs)) {
        for (const index of batch.indexes) outcomes[index] = perform(jobs[index]!);
        onDone?.(batch.indexes.length, batch.bytes);
      }
      return outcomes;
    },
    async close() {},
  };
}

export interface WorkerSettings {
  readonly storeRoot: string;
  readonly choice: ImportChoice;
  readonly ownPaths: readonly string[];
}

const THREADS = 2;

export function createThreadPool(settings: WorkerSettings): EntryPool {
  // The same file as TypeScript in the checkout and as JavaScript in a build.
  const program = new URL(
    `./entry-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
    import.meta.url,
  );
  const workers = Array.from(
    { length: THREADS },
    () => new Worker(program, { workerData: settings, execArgv: [] }),
  );
  return {
    async run(task, jobs, onDone) {
      const outcomes: Outcome<typeof task>[] = [];
      const queue = batches(jobs);
      const drain = async (worker: Worker) => {
        for (let batch = queue.next(); !batch.done; batch = queue.next()) {
          const { indexes, bytes } = batch.value;
          const request = { task, jobs: indexes.map((index) => jobs[index]!) } satisfies WorkerRequest;
          const answers = (await ask(worker, request)) as Outcome<typeof task>[];
          for (const [position, index] of indexes.entries()) outcomes[index] = answers[position]!;
          onDone?.(indexes.length, bytes);
        }
      };
      await Promise.all(workers.map(drain));
      return outcomes;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

export interface WorkerRequest {
  readonly task: EntryTaskName;
  readonly jobs: readonly unknown[];
}

export type WorkerAnswer =
  | { readonly outcomes: unknown[] }
  | {
      readonly failure: {
        readonly message: string;
        readonly code: string | null;
        readonly path: string | null;
      };
    };

function ask(worker: Worker, request: WorkerRequest): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
    };
    const onMessage = (answer: WorkerAnswer) => {
      settle();
      if ("outcomes" in answer) return resolve(answer.outcomes);
      const { message, code, path } = answer.failure;
      reject(Object.assign(new Error(message), code === null ? {} : { code }, path === null ? {} : { path }));
    };
    const onError = (error: Error) => {
      settle();
      reject(error);
    };
    const onExit = () => onError(new Error("a worker thread ended before it answered"));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
    worker.postMessage(request);
  });
}

interface Batch {
  readonly indexes: readonly number[];
  readonly bytes: number;
}

/** Large files first, each a batch of its own, so that none is left for the end. */
function* batches(jobs: readonly { readonly size: number }[]): Generator<Batch, undefined> {
  for (const [index, job] of jobs.entries()) {
    if (job.size >= BATCH_BYTES) yield { indexes: [index], bytes: job.size };
  }
  let indexes: number[] = [];
  let bytes = 0;
  for (const [index, job] of jobs.entries()) {
    if (job.size >= BATCH_BYTES) continue;
    indexes.push(index);
    bytes += job.size;
    if (indexes.length === BATCH_FILES || bytes >= BATCH_BYTES) {
      yield { indexes, bytes };
      indexes = [];
      bytes = 0;
    }
  }
  if (indexes.length > 0) yield { indexes, bytes };
  return undefined;
}
