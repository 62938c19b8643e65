/** What a pool can do to an entry; each task is one synchronous function. */
import { createCheckFolder } from "../check/check-folder.ts";
import { createPlaceEntry, type PlaceEntryDeps } from "./place-entry.ts";
import { createPutBlob } from "./put-blob.ts";

export type EntryTasks = ReturnType<typeof createEntryTasks>;
export type EntryTaskName = keyof EntryTasks;

export function createEntryTasks(deps: PlaceEntryDeps) {
  return {
    place: createPlaceEntry(deps),
    putBlob: createPutBlob(deps),
    checkFolder: createCheckFolder(deps.fs),
  };
}
