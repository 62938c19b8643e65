/**
 * A private place for one tree in the making, and one for what a build needs meanwhile.
 *
 * Nothing is made before it is asked for, so that a refusal, or a source that the store knows
 * already, leaves no trace. The index's row comes before the folders and goes after them: whatever
 * a killed process leaves behind is found by its row, and a folder without a row belongs to nobody.
 */
import { systemCode } from "../../kernel/errors.ts";
import { deleteStaging, insertStaging } from "../index/staging.ts";
import { STAGING_PREFIX } from "../layout.ts";
import type { StoreContext } from "../store-context.ts";
import { removeTree } from "./remove-tree.ts";

export interface StagingFolder {
  readonly hex: string;
  /** Becomes the published tree by one rename. Made on first call. */
  tree(): string;
  /** Made on first call. */
  scratch(): string;
  /** A name for a temporary file that is swept with this staging. */
  temporary(final: string): string;
}

export async function withStagingFolder<Result>(
  context: StoreContext,
  act: (staging: StagingFolder) => Promise<Result>,
): Promise<Result> {
  const staging = createStagingFolder(context);
  let result: Result;
  try {
    result = await act(staging);
  } catch (error) {
    try {
      staging.remove();
    } catch {
      // What cannot be removed now belongs to nobody once its row is gone, and is swept later. The
      // caller is told why the act failed, not that cleaning up after it did as well.
    }
    throw error;
  }
  try {
    staging.remove();
  } catch (error) {
    // The act is done, and must not be called failed for what it left; that is swept later.
    if (systemCode(error) === null) throw error;
  }
  return result;
}

function createStagingFolder(context: StoreContext): StagingFolder & { remove(): void } {
  const { fs, layout, clock, processes, failpoints } = context;
  const hex = context.ids.hex(8);
  const folder = `${STAGING_PREFIX}${hex}`;
  const made = new Set<string>();
  const make = (path: string): string => {
    if (made.has(path)) return path;
    if (made.size === 0) {
      insertStaging(context.writing(), { folder, since: clock.now(), ...processes.self() });
      failpoints.hit("stage:row-written");
    }
    made.add(path);
    fs.mkdirSync(path, { mode: 0o700 });
    failpoints.hit("stage:folder-made");
    return path;
  };
  return {
    hex,
    tree: () => make(layout.staging(hex)),
    scratch: () => make(`${layout.staging(hex)}.scratch`),
    temporary: (final) => `${final}.tmp-${hex}`,
    remove() {
      if (made.size === 0) return;
      try {
        for (const path of made) removeTree(fs, path);
      } finally {
        failpoints.hit("stage:folder-removed");
        deleteStaging(context.writing(), folder);
      }
    },
  };
}

const TEMPORARY = /\.tmp-([0-9a-f]{16})$/;

/** Which staging a temporary file belongs to; null for any other name. */
export function stagingOfTemporary(name: string): string | null {
  const hex = TEMPORARY.exec(name)?.[1];
  return hex === undefined ? null : `${STAGING_PREFIX}${hex}`;
}
