/**
 * Removes the stat caches of sources that nobody stages any more: every stage writes its source's
 * cache anew, so that an old one is of a folder that is gone or forgotten. Losing one costs time.
 */
import { systemCode } from "../../kernel/errors.ts";
import type { StoreContext } from "../store-context.ts";

const IDLE_MS = 30 * 24 * 60 * 60 * 1000;

export function pruneStatCaches({ fs, layout, clock }: StoreContext): number {
  let removed = 0;
  for (const name of fs.readdirSync(layout.statCache)) {
    if (!/^[0-9a-f]{32}$/.test(name)) continue;
    const path = layout.statCacheOf(name);
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || clock.now() - stats.mtimeMs < IDLE_MS) continue;
    try {
      fs.unlinkSync(path);
      removed += 1;
    } catch (error) {
      // Another collection was first.
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
  return removed;
}
