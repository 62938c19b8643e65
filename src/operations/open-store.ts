/**
 * The store on this machine, with its real ports; for mains. Loaded only by commands that need it:
 * it brings SQLite with it, and what stages brings npm's, git's and tar's handling on first use.
 */
import { createSystemProcesses } from "../census/index.ts";
import type { Clock, Ids } from "../kernel/clock.ts";
import { noFailpoints } from "../kernel/failpoints.ts";
import { createStore } from "../store/create-store.ts";
import { createLayout } from "../store/layout.ts";
import { createNodeFileSystem } from "../store/node-file-system.ts";
import type { RunningProcess } from "../store/source/host.ts";
import type { Store } from "../store/store.ts";

export interface OpenStoreDeps {
  /** The store's folder, absolute. */
  readonly root: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly pid: number;
  readonly uid: number;
  readonly running: RunningProcess & { readonly platform: NodeJS.Platform };
  /** Waits `ms` milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

export function openStore({ root, clock, ids, pid, uid, running, pause }: OpenStoreDeps): Store {
  const { platform } = running;
  const fs = createNodeFileSystem(platform);
  return createStore({
    root,
    fs,
    clock,
    ids,
    processes: createSystemProcesses({ platform, pid, uid }),
    failpoints: noFailpoints,
    uid,
    async loadSources() {
      const { createSources } = await import("../store/source/create-sources.ts");
      const { createRunCommand } = await import("../store/source/run-command.ts");
      const { hostOf } = await import("../store/source/host.ts");
      const layout = createLayout(root);
      return createSources({ fs, layout, clock, ids, host: hostOf(running), run: createRunCommand(), pause });
    },
  });
}
