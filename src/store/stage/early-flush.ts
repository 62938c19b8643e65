/**
 * Starts to flush while a large tree is still being made, so that the disk works beside the
 * threads and the flush before publication (publish.ts) finds little left. Nothing relies on it:
 * that flush alone is what makes a tree durable.
 */
import type { EntryPool } from "./entry-pool.ts";

// Each flush also ends a transaction of the file system's journal, so a smaller step costs more than it wins.
const STEP_BYTES = 256 * 1024 * 1024;

export function withEarlyFlush(pool: EntryPool, startFlush: () => void): EntryPool {
  return {
    async run(task, work) {
      if (task !== "place") return pool.run(task, work);
      let unflushed = 0;
      await pool.run(task, {
        ...work,
        onDone(files, bytes) {
          unflushed += bytes;
          if (unflushed >= STEP_BYTES) {
            unflushed = 0;
            startFlush();
          }
          work.onDone?.(files, bytes);
        },
      });
      // The listing is made and the folders are sealed meanwhile.
      if (unflushed > 0) startFlush();
    },
    close: () => pool.close(),
  };
}
