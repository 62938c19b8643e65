/**
 * What every operation of the store works with: its ports, its paths and its index.
 *
 * The index opens on first use. A read on a store that does not exist sees an empty index in
 * memory and makes nothing; a write makes the folders, private from the moment they exist.
 */

import { dirname } from "node:path";
import type { Clock, Ids } from "../kernel/clock.ts";
import { CodedError, systemCode } from "../kernel/errors.ts";
import type { Failpoints } from "../kernel/failpoints.ts";
import type { Processes } from "../kernel/processes.ts";
import { shellWord } from "../kernel/shell-word.ts";
import type { FileSystem } from "./file-system.ts";
import { flushFolder } from "./flush-folder.ts";
import { emptyIndex, type Index, openIndex } from "./index/open-index.ts";
import { deletePin } from "./index/pins.ts";
import { createLayout, type Layout } from "./layout.ts";
import { pathExists } from "./path-exists.ts";
import type { Sources } from "./source/assembled-runtime.ts";
import type { ImportChoice } from "./stage/share-content.ts";
import { withStoreErrors } from "./store-errors.ts";

export interface StoreDeps {
  /** The store's folder, absolute. */
  readonly root: string;
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly processes: Processes;
  readonly failpoints: Failpoints;
  /** The user that owns the store; a folder of another one is refused. */
  readonly uid: number;
  /** Loaded only by what stages: it brings zod, execa and tar with it. */
  readonly loadSources: () => Promise<Sources>;
  /** Default `auto`. */
  readonly importChoice?: ImportChoice;
  /** Worker threads for large trees; default true. False keeps every step in this thread and on `fs`. */
  readonly threads?: boolean;
}

export interface StoreContext extends StoreDeps {
  readonly layout: Layout;
  /** For reading: empty where the store does not exist. */
  reading(): Index;
  /** For writing: makes the store where it does not exist. */
  writing(): Index;
  /** The ids of pins to be released when the store is closed. */
  readonly stagePins: string[];
  close(): void;
}

export function createStoreContext(deps: StoreDeps): StoreContext {
  const layout = createLayout(deps.root);
  let open: Index | null = null;
  let empty: Index | null = null;
  let isMade = false;
  const stagePins: string[] = [];
  return {
    ...deps,
    layout,
    reading() {
      if (open !== null) return open;
      if (!isSecureFolder(deps, layout) || !pathExists(deps.fs, layout.index)) {
        empty ??= emptyIndex();
        return empty;
      }
      open = withStoreErrors(`open the index ${layout.index}`, () => openIndex(layout.index));
      return open;
    },
    writing() {
      // Not only where there is no index: power loss may keep it and take a folder beside it.
      if (!isMade) withStoreErrors("make the store's folders", () => makeFolders(deps, layout));
      isMade = true;
      open ??= withStoreErrors(`open the index ${layout.index}`, () => openIndex(layout.index));
      return open;
    },
    stagePins,
    close() {
      try {
        for (const id of stagePins.splice(0)) if (open !== null) deletePin(open, id);
      } catch (error) {
        // What was done stands, and must not be called failed for a pin that could not be released:
        // it ends with this process.
        if (systemCode(error) === null) throw error;
      } finally {
        open?.close();
        empty?.close();
        open = null;
        empty = null;
      }
    },
  };
}

/** False where there is no store; `state_insecure` where others could write to it. */
function isSecureFolder({ fs, uid }: StoreDeps, { root }: Layout): boolean {
  const stats = fs.lstatSync(root, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isDirectory()) {
    throw new CodedError("state_insecure", `${root} is not a folder.`, {
      hint: "Choose another SWARM_GEN_HOME.",
    });
  }
  if (stats.uid !== uid) {
    throw new CodedError("state_insecure", `${root} belongs to user ${stats.uid}, not to you (${uid}).`, {
      hint: `Choose another SWARM_GEN_HOME, or run: chown -R ${uid} ${shellWord(root)}`,
    });
  }
  if ((stats.mode & 0o022) !== 0) {
    throw new CodedError("state_insecure", `${root} can be written by other users.`, {
      hint: `Run: chmod 700 ${shellWord(root)}`,
    });
  }
  return true;
}

function makeFolders(deps: StoreDeps, layout: Layout): void {
  const { fs } = deps;
  if (!isSecureFolder(deps, layout)) {
    fs.mkdirSync(dirname(layout.root), { recursive: true, mode: 0o700 });
    makeFolder(fs, layout.root);
    flushFolder(fs, dirname(layout.root));
    isSecureFolder(deps, layout);
  }
  const { generations, manifests, blobs, builds, statCache, profiles } = layout;
  for (const folder of [generations, manifests, blobs, builds, statCache, profiles]) makeFolder(fs, folder);
}

function makeFolder(fs: FileSystem, path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
