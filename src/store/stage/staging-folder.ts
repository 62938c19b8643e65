/**
 * A private place for one tree in the making, and one for what a build needs meanwhile.
 *
 * The index's row comes before the folders and goes after them, so whatever a killed process
 * leaves behind is found by its row, and a folder without a row belongs to nobody.
 */
import type { FileSystem } from "../file-system.ts";
import { deleteStaging, insertStaging } from "../index/staging.ts";
import { STAGING_PREFIX } from "../layout.ts";
import type { StoreContext } from "../store-context.ts";
import { removeTree } from "./remove-tree.ts";

export interface StagingFolder {
  readonly hex: string;
  /** Becomes the published tree by one rename. */
  readonly tree: string;
  /** Made on first call. */
  scratch(): string;
  /** A name for a temporary file that is swept with this staging. */
  temporary(final: string): string;
}

export async function withStagingFolder<Result>(
  context: StoreContext,
  act: (staging: StagingFolder) => Promise<Result>,
): Promise<Result> {
  const { fs, layout, clock, processes, failpoints } = context;
  const hex = context.ids.hex(8);
  const tree = layout.staging(hex);
  const scratch = `${tree}.scratch`;
  const row = { folder: `${STAGING_PREFIX}${hex}`, since: clock.now(), ...processes.self() };
  insertStaging(context.writing(), row);
  failpoints.hit("stage:row-written");
  let scratchMade = false;
  const clear = () => {
    removeTree(fs, tree);
    if (scratchMade) removeTree(fs, scratch);
  };
  let result: Result;
  try {
    fs.mkdirSync(tree, { mode: 0o700 });
    failpoints.hit("stage:folder-made");
    result = await act({
      hex,
      tree,
      scratch() {
        if (!scratchMade) fs.mkdirSync(scratch, { mode: 0o700 });
        scratchMade = true;
        return scratch;
      },
      temporary: (final) => temporaryName(final, hex),
    });
  } catch (error) {
    try {
      clear();
    } catch {
      // What cannot be removed now belongs to nobody once its row is gone, and is swept later. The
      // caller is told why the act failed, not that cleaning up after it did as well.
    }
    deleteStaging(context.writing(), row.folder);
    throw error;
  }
  try {
    clear();
  } finally {
    failpoints.hit("stage:folder-removed");
    deleteStaging(context.writing(), row.folder);
  }
  return result;
}

const TEMPORARY = /\.tmp-([0-9a-f]{16})$/;

function temporaryName(final: string, hex: string): string {
  return `${final}.tmp-${hex}`;
}

/** Which staging a temporary file belongs to; null for any other name. */
export function stagingOfTemporary(name: string): string | null {
  const hex = TEMPORARY.exec(name)?.[1];
  return hex === undefined ? null : `${STAGING_PREFIX}${hex}`;
}

/** Writes a whole file, private, that is not to be seen half written under its final name. */
export function writeNewFile(fs: FileSystem, path: string, content: Uint8Array): void {
  const descriptor = fs.openSync(path, "wx", 0o600);
  try {
    for (let at = 0; at < content.byteLength; ) {
      at += fs.writeSync(descriptor, content, at, content.byteLength - at, null);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}
