/**
 * sweepLeftovers: removes what ended commands left behind, and nothing of those at work.
 *
 * A folder in the making belongs to the row that was written before it. Where the holder of the
 * row is proven dead, or there is no row, folder and temporary files go; where nothing is known of
 * the holder (another name space of pids) they stay for a day.
 */
import { join } from "node:path";
import { readGeneration } from "../index/generations.ts";
import type { Index } from "../index/open-index.ts";
import { deleteStaging, listStaging, type StagingRow } from "../index/staging.ts";
import { STAGING_PREFIX, TRASH_PREFIX } from "../layout.ts";
import { removeTree } from "../stage/remove-tree.ts";
import { stagingOfTemporary } from "../stage/staging-folder.ts";
import type { StoreContext } from "../store-context.ts";
import { pruneBuildRecords } from "./prune-build-records.ts";
import { pruneStatCaches } from "./prune-stat-caches.ts";

const UNKNOWN_HOLDER_MS = 24 * 60 * 60 * 1000;

/** How many left-overs were removed; `tell` hears it before each tree. */
export async function sweepLeftovers(
  context: StoreContext,
  db: Index,
  tell: (done: number) => Promise<void>,
): Promise<number> {
  const { fs, layout } = context;
  // Names first, rows second: a folder that was there has had its row since before.
  const names = fs.readdirSync(layout.generations);
  const temporaries = temporariesIn(context);
  const rows = listStaging(db);
  const ended = rows.filter((row) => hasEnded(context, row));
  const busy = new Set(rows.filter((row) => !ended.includes(row)).map(({ folder }) => folder));

  const isUsed = createUseOfTrash(context);
  let swept = 0;
  for (const name of names) {
    if (name.startsWith(TRASH_PREFIX) ? isUsed(name) : !isEndedStaging(name, busy)) continue;
    await tell(swept);
    removeTree(fs, join(layout.generations, name));
    context.failpoints.hit("gc:leftover-removed");
    swept += 1;
  }
  for (const { path, folder } of temporaries) {
    if (busy.has(folder)) continue;
    removeTree(fs, path);
    swept += 1;
  }
  for (const { folder } of ended) deleteStaging(db, folder);
  swept += removeStrayListings(context, db) + removeStrayLinks(context, db);
  return swept + pruneBuildRecords(context) + pruneStatCaches(context);
}

function hasEnded({ processes, clock }: StoreContext, row: StagingRow): boolean {
  const liveness = processes.liveness(row);
  return liveness === "dead" || (liveness === "unknown" && clock.now() - row.since > UNKNOWN_HOLDER_MS);
}

/** Whether a process runs from it; one look at all processes serves all trash. */
function createUseOfTrash({ processes, layout }: StoreContext): (name: string) => boolean {
  let used: ReadonlySet<string> | null = null;
  return (name) => {
    used ??= new Set(
      processes.executingBelow(layout.generations).executing.map(({ path }) => {
        return path.slice(layout.generations.length + 1).split("/")[0] ?? "";
      }),
    );
    return used.has(name);
  };
}

function isEndedStaging(name: string, busy: ReadonlySet<string>): boolean {
  return name.startsWith(STAGING_PREFIX) && !busy.has(name.replace(/\.scratch$/, ""));
}

function temporariesIn({ fs, layout }: StoreContext): { readonly path: string; readonly folder: string }[] {
  const blobFolders = fs.readdirSync(layout.blobs).map((name) => join(layout.blobs, name));
  return [layout.manifests, layout.statCache, layout.builds, ...blobFolders].flatMap((parent) =>
    fs.readdirSync(parent).flatMap((name) => {
      const folder = stagingOfTemporary(name);
      return folder === null ? [] : [{ path: join(parent, name), folder }];
    }),
  );
}

/** Listings without a row: removed under the write lock, under which they are renamed into place. */
function removeStrayListings({ fs, layout }: StoreContext, db: Index): number {
  return db
    .transaction(() => {
      let removed = 0;
      for (const name of fs.readdirSync(layout.manifests)) {
        const id = name.replace(/\.inodes$/, "");
        if (!/^[0-9a-f]{64}$/.test(id) || readGeneration(db, id) !== null) continue;
        fs.unlinkSync(join(layout.manifests, name));
        removed += 1;
      }
      return removed;
    })
    .immediate();
}

/** Under the write lock, under which a link is made beside and renamed into place. */
function removeStrayLinks({ fs, layout }: StoreContext, db: Index): number {
  return db
    .transaction(() => {
      const stray = fs.readdirSync(layout.profiles).filter((name) => name.startsWith("."));
      for (const name of stray) removeTree(fs, join(layout.profiles, name));
      return stray.length;
    })
    .immediate();
}
