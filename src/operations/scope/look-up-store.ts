/** The store for asking it which program to start; it stages nothing, so it brings none of what staging needs. */
import { createSystemProcesses } from "../../census/index.ts";
import { noFailpoints } from "../../kernel/failpoints.ts";
import { createStore } from "../../store/create-store.ts";
import { createNodeFileSystem } from "../../store/node-file-system.ts";
import type { Store } from "../../store/store.ts";
import type { ScopePorts } from "./scope-place.ts";

/** `root` is the store's folder. Creates nothing where there is none. */
export function lookUpStore(
  root: string,
  { clock, ids, pid, uid, running: { platform } }: ScopePorts,
): Store {
  return createStore({
    root,
    fs: createNodeFileSystem(platform),
    clock,
    ids,
    processes: createSystemProcesses({ platform, pid, uid }),
    failpoints: noFailpoints,
    uid,
    loadSources: () => Promise.reject(new Error("a look at the store stages nothing")),
  });
}
