/**
 * The store on this machine, with its real ports; for mains. Loaded only by commands that need it:
 * it brings SQLite with it, and what stages brings npm's, git's and tar's handling on first use.
 */
import { createSystemProcesses } from "../census/index.ts";
import type { Clock, Ids } from "../kernel/clock.ts";
import { noFailpoints } from "../kernel/failpoints.ts";
import { createStore } from "../store/create-store.ts";
import { createNodeFileSystem } from "../store/node-file-system.ts";
import type { Store } from "../store/store.ts";

export interface OpenStoreDeps {
  readonly root: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly uid: number;
}

export function openStore({ root, clock, ids, platform, pid, uid }: OpenStoreDeps): Store {
  return createStore({
    root,
    fs: createNodeFileSystem(platform),
    clock,
    ids,
    processes: createSystemProcesses({ platform, pid, uid }),
    failpoints: noFailpoints,
    uid,
    loadSources: async () => {
      const { createSources } = await import("../store/source/create-sources.ts");
      return createSources();
    },
  });
}
