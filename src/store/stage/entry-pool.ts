/**
 * Does the same to many entries at once: in this thread for a small tree, in this one and a worker
 * for a large one. Two, because more only contend for the disk and the directory locks; this one
 * among them, because each further thread costs 25 MB.
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

const BATCH_FILES = 128;
const BATCH_BYTES = 16 * 1024 * 1024;

export function createInlinePool(tasks: EntryTasks): EntryPool {
  return {
    async run(task, work) {
      for (const batch of batches(work)) performBatch(tasks, task, work, batch);
    },
    async close() {},
  };
}

function performBatch<Name extends EntryTaskName>(
  tasks: EntryTasks,
  task: Name,
  work: PoolWork<Name>,
  { indexes, bytes }: Batch,
): void {
  const perform = tasks[task] as (job: Job<Name>) => Outcome<Name>;
  for (const index of indexes) work.take(index, perform(work.jobAt(index)));
  work.onDone?.(indexes.length, bytes);
}

export interface WorkerSettings {
  readonly storeRoot: string;
  readonly choice: ImportChoice;
  readonly ownPaths: readonly string[];
}

// Almost all that a worker allocates dies with its batch; a large nursery would only keep it.
const WORKER_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 };

// So that the worker has its next batch while this thread is busy with one of its own.
const BATCHES_AHEAD = 3;

export function createThreadPool(settings: WorkerSettings, tasks: EntryTasks): EntryPool {
  // The same file as TypeScript in the checkout and as JavaScript in a build.
  const program = new URL(
    `./entry-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
    import.meta.url,
  );
  const worker = new Worker(program, { workerData: settings, execArgv: [], resourceLimits: WORKER_LIMITS });
  const ask = createAsk(worker);
  const here = createInlinePool(tasks);
  return {
    async run(task, work) {
      // A single batch is done sooner here than the worker has started.
      if (isOneBatch(work)) return here.run(task, work);
      const queue = batches(work);
      const drainByWorker = async () => {
        for (let batch = queue.next(); !batch.done; batch = queue.next()) {
          const { indexes, bytes } = batch.value;
          const outcomes = await ask({ task, jobs: indexes.map(work.jobAt) });
          for (const [position, index] of indexes.entries()) {
            work.take(index, outcomes[position] as Outcome<typeof task>);
          }
          work.onDone?.(indexes.length, bytes);
        }
      };
      const drainHere = async () => {
        for (let batch = queue.next(); !batch.done; batch = queue.next()) {
          performBatch(tasks, task, work, batch.value);
          // The worker's answers are taken, and its next batches sent, between two of our own.
          await new Promise(setImmediate);
        }
      };
      const drains = [...Array.from({ length: BATCHES_AHEAD }, drainByWorker), drainHere()];
      // After a failure no further batch begins, and none is under way when the caller cleans up.
      for (const drain of drains) drain.catch(() => queue.return(undefined));
      const failed = (await Promise.allSettled(drains)).find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    },
    async close() {
      await worker.terminate();
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

/** Sends requests to a worker, which answers them in their order. */
function createAsk(worker: Worker): (request: WorkerRequest) => Promise<unknown[]> {
  const waiting: { resolve: (outcomes: unknown[]) => void; reject: (error: Error) => void }[] = [];
  let broken: Error | null = null;
  const fail = (error: Error) => {
    broken ??= error;
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  worker.on("message", (answer: WorkerAnswer) => {
    const first = waiting.shift();
    if ("outcomes" in answer) return first?.resolve(answer.outcomes);
    const { message, code, path } = answer.failure;
    first?.reject(
      Object.assign(new Error(message), code === null ? {} : { code }, path === null ? {} : { path }),
    );
  });
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("a worker thread ended before it answered")));
  return (request) =>
    new Promise((resolve, reject) => {
      if (broken !== null) return reject(broken);
      waiting.push({ resolve, reject });
      worker.postMessage(request);
    });
}

interface Batch {
  readonly indexes: readonly number[];
  readonly bytes: number;
}

function isOneBatch(work: Pick<PoolWork<EntryTaskName>, "count" | "sizeOf">): boolean {
  const queue = batches(work);
  queue.next();
  return work.count <= BATCH_FILES && queue.next().done === true;
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
