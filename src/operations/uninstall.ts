/**
 * uninstall: what a removal would remove, what still holds it, and the commands for it.
 * Removes nothing: a worker that lives may run from any generation.
 */
import { shellWord } from "../kernel/shell-word.ts";
import type { Pin, PinKind, Store } from "../store/store.ts";
import { withStoreErrorsAsync } from "../store/store-errors.ts";
import type { HomeFolders } from "./home.ts";
import type { HostInspection } from "./host-inspection.ts";

export interface UninstallOutput {
  /** Nothing runs from the store or is about to. */
  readonly clear: boolean;
  readonly remove: readonly { readonly path: string; readonly what: string; readonly bytes: number }[];
  readonly blockers: readonly UninstallBlocker[];
  /** For a POSIX shell, in this order. */
  readonly commands: readonly string[];
}

export interface UninstallBlocker {
  readonly kind: "pin" | "process";
  readonly generation: string;
  /** A pin's id, or a process id. */
  readonly id: string;
  readonly detail: string;
}

export interface UninstallDeps {
  readonly folders: HomeFolders;
  readonly inspection: HostInspection;
  readonly openStore: () => Promise<Store>;
}

// Held by something that lives. Activations and notes of people keep a tree from being collected,
// but nothing breaks when they go with the store.
const LIVE_PINS: ReadonlySet<PinKind> = new Set(["launch", "owner", "stage", "process"]);

/** `store_unavailable` where a folder cannot be looked into. */
export async function planUninstall(deps: UninstallDeps): Promise<UninstallOutput> {
  return withStoreErrorsAsync("look at what would be removed", () => plan(deps));
}

async function plan({ folders, inspection, openStore }: UninstallDeps): Promise<UninstallOutput> {
  const candidates = [
    { path: folders.store, what: "generations, blobs and the index" },
    { path: folders.cache, what: "compiled code and downloads; made again when needed" },
    { path: folders.state, what: "state of coordinators" },
  ];
  const remove = candidates
    .filter(({ path }) => inspection.ownership(path) !== null)
    .map(({ path, what }) => ({ path, what, bytes: inspection.sizeBytes(path) }));
  const blockers = remove.some(({ path }) => path === folders.store) ? storeBlockers(await openStore()) : [];
  return { clear: blockers.length === 0, remove, blockers, commands: removal(remove, folders) };
}

function storeBlockers(store: Store): UninstallBlocker[] {
  return store.list().flatMap(({ generation }) => {
    const { pins, lapsed, executing } = store.why(generation);
    return [
      ...pins
        .filter(({ kind, id }) => LIVE_PINS.has(kind) && !lapsed.includes(id))
        .map((pin) => pinBlocker(pin)),
      ...executing.map(({ pid, path }) => ({
        kind: "process" as const,
        generation,
        id: String(pid),
        detail: `runs ${path}`,
      })),
    ];
  });
}

function pinBlocker({ kind, generation, id, reason }: Pin): UninstallBlocker {
  return { kind: "pin", generation, id, detail: `${kind}: ${reason}` };
}

function removal(remove: UninstallOutput["remove"], folders: HomeFolders): string[] {
  const commands = remove.flatMap(({ path }) => {
    const word = shellWord(path);
    // Trees are read-only, folders included, so that rm alone is refused.
    return path === folders.store ? [`chmod -R u+w ${word}`, `rm -rf ${word}`] : [`rm -rf ${word}`];
  });
  return folders.home === null || remove.length === 0
    ? commands
    : [...commands, `rmdir ${shellWord(folders.home)}`];
}
