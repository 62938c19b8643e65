/** The library in this process, on a home that the command may use as well. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openStore } from "../../src/operations/open-store.ts";
import type { Store } from "../../src/store/store.ts";

export function openLibrary(home: string): Store {
  return openStore({
    root: join(home, "store"),
    clock: { now: Date.now },
    ids: { hex: (bytes) => randomBytes(bytes).toString("hex") },
    pid: process.pid,
    uid: process.getuid?.() ?? 0,
    running: process,
    pause: (ms) => setTimeout(ms),
  });
}
