/** The store as a whole: how much it holds, what it takes on disk, and what should worry its owner. */
import { join } from "node:path";
import { systemCode } from "../kernel/errors.ts";
import { listGenerations } from "./index/generations.ts";
import type { ContentOrigin } from "./stage/share-content.ts";
import type { StoreInfo } from "./store.ts";
import type { StoreContext } from "./store-context.ts";

/** Pinned generations beyond which growth is an alarm: something keeps pins that nobody uses. */
const MANY_PINNED = 50;

export function info(context: StoreContext): StoreInfo {
  const { fs, layout } = context;
  const rows = listGenerations(context.reading());
  const pinned = rows.filter(({ pins }) => pins > 0).length;
  const blobs = blobSizes(context);
  const importMethods: Partial<Record<ContentOrigin, number>> = {};
  for (const row of rows) {
    for (const [method, count] of Object.entries(
      JSON.parse(row.importMethods) as Record<ContentOrigin, number>,
    )) {
      const name = method as ContentOrigin;
      importMethods[name] = (importMethods[name] ?? 0) + count;
    }
  }
  const alarms =
    pinned > MANY_PINNED
      ? [
          `${pinned} generations are pinned; swarm-gen ls shows them and swarm-gen why ID says why each is kept.`,
        ]
      : [];
  return {
    path: layout.root,
    generations: rows.length,
    pinned,
    files: rows.reduce((sum, { files }) => sum + files, 0),
    apparentBytes: rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    blobs: blobs.length,
    blobBytes: blobs.reduce((sum, size) => sum + size, 0),
    indexBytes: fs.lstatSync(layout.index, { throwIfNoEntry: false })?.size ?? 0,
    importMethods,
    alarms,
  };
}

function blobSizes({ fs, layout }: StoreContext): number[] {
  try {
    return fs.readdirSync(layout.blobs).flatMap((folder) =>
      fs.readdirSync(join(layout.blobs, folder)).flatMap((name) => {
        // A collection may remove one between the two calls.
        const stats = fs.lstatSync(join(layout.blobs, folder, name), { throwIfNoEntry: false });
        return stats === undefined ? [] : [stats.size];
      }),
    );
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
