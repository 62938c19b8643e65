/**
 * Does the same to many entries at once: in this thread for a small tree, in two worker threads
 * for a large one. Two, because more only contend for the disk and the directory locks.
 *
 * Jobs are made when a batch of them begins and outcomes are taken as soon as it ends, so that a
 * large tree costs no more memory than a batch.
 */
import { Worker } from "node:worker_threads";
import type { EntryTaskName, EntryTasks } from "./entry-tasks.ts";
import type { ImportChoice } from "./share-content.ts";

type Job<Name extends EntryTaskName> = Parameters<EntryTasks[Name]>[0];
type Outcome<Name extends EntryTaskName> = ReturnType<EntryTasks[Name]>;

export interface PoolWork<Name extends EntryTaskName> {
  readonly count: number;
  readonly sizeOf: (index: number) => number;
  readonly jobAt: (index: number) => Job<Name>;
  /** Called once for every index, in no particular order. */
  readonly take: (index: number, outcome: Outcome<Name>) => void;
  /** Told of each finished batch. */
  readonly onDone?: ((files: number, bytes: number) => void) | undefined;
}

export interface EntryPool {
  run<Name extends EntryTaskName>(task: Name, work: PoolWork<Name>): Promise<void>;
  close(): Promise<void>;
}

const BATCH_FILES = 256;
const BATCH_BYTES = 16 * 1024 * 1024;

export function createInlinePool(tasks: EntryTasks): EntryPool {
  return {
    async run(task, work) {
      const perform = tasks[task] as (job: Job<typeof task>) => Outcome<typeof task>;
      for (const { indexes, bytes } of batches(work)) {
        for (const index of indexes) work.take(index, perform(work.jobAt(index)));
        work.onDone?.(indexes.length, bytes);
      }
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

// Almost all that a worker allocates dies with its batch; a large nursery would only keep it.
const WORKER_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 };

export function createThreadPool(settings: WorkerSettings): EntryPool {
  // The same file as TypeScript in the checkout and as JavaScript in a build.
  const program = new URL(
    `./entry-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
    import.meta.url,
  );
  const failed = new Map<Worker, Error>();
  const options = { workerData: settings, execArgv: [], resourceLimits: WORKER_LIMITS };
  const workers = Array.from({ length: THREADS }, () => {
    const worker = new Worker(program, options);
    // One that fails while nothing is asked of it, as where no file may be opened any more, must
    // not end the process; whoever asks it next is told.
    worker.on("error", (error: Error) => failed.set(worker, error));
    return worker;
  });
  return {
    async run(task, work) {
      const queue = batches(work);
      const drain = async (worker: Worker) => {
        for (let batch = queue.next(); !batch.done; batch = queue.next()) {
          const { indexes, bytes } = batch.value;
          const failure = failed.get(worker);
          if (failure !== undefined) throw failure;
          const outcomes = await ask(worker, { task, jobs: indexes.map(work.jobAt) });
          for (const [position, index] of indexes.entries()) {
            work.take(index, outcomes[position] as Outcome<typeof task>);
          }
          work.onDone?.(indexes.length, bytes);
        }
      };
      await Promise.all(workers.map(drain));
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
function* batches({
  count,
  sizeOf,
}: Pick<PoolWork<EntryTaskName>, "count" | "sizeOf">): Generator<Batch, undefined> {
  for (let index = 0; index < count; index += 1) {
    if (sizeOf(index) >= BATCH_BYTES) yield { indexes: [index], bytes: sizeOf(index) };
  }
  let indexes: number[] = [];
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    const size = sizeOf(index);
    if (size >= BATCH_BYTES) continue;
    indexes.push(index);
    bytes += size;
    if (indexes.length === BATCH_FILES || bytes >= BATCH_BYTES) {
      yield { indexes, bytes };
      indexes = [];
      bytes = 0;
    }
  }
  if (indexes.length > 0) yield { indexes, bytes };
  return undefined;
}
