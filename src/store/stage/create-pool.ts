/** The pool that fits a tree: a worker pays from some hundred files or some tens of megabytes on. */
import type { StoreContext } from "../store-context.ts";
import { withEarlyFlush } from "./early-flush.ts";
import { createInlinePool, createThreadPool, type EntryPool } from "./entry-pool.ts";
import { createEntryTasks } from "./entry-tasks.ts";
import { createContentSharer } from "./share-content.ts";

const SMALL_FILES = 400;
const SMALL_BYTES = 32 * 1024 * 1024;

export interface PoolSize {
  readonly files: number;
  readonly bytes: number;
  readonly ownPaths: readonly string[];
}

export function createPool(context: StoreContext, { files, bytes, ownPaths }: PoolSize): EntryPool {
  const { fs, layout, importChoice: choice = "auto", threads = true } = context;
  const tasks = createEntryTasks({ fs, layout, ownPaths, sharer: createContentSharer(fs, choice) });
  if (!threads || (files <= SMALL_FILES && bytes <= SMALL_BYTES)) return createInlinePool(tasks);
  const pool = createThreadPool({ storeRoot: layout.root, choice, ownPaths }, tasks);
  return withEarlyFlush(pool, () => fs.startFlush(layout.generations));
}
