/** Stages whatever the source is: a folder, an npm package, or an archive that `export` made. */

import { importArchive } from "../exchange/import.ts";
import { sourceKind } from "../exchange/open-source.ts";
import { unpackPackage } from "../source/archive/unpack-package.ts";
import type { StageRequest, StageResult } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { stageFolder } from "./stage-folder.ts";
import { withStagingFolder } from "./staging-folder.ts";

export async function stageSource(context: StoreContext, request: StageRequest): Promise<StageResult> {
  const { fs } = context;
  const kind = sourceKind(fs, request.source);
  if (kind === "folder") return stageFolder(context, request);
  if (kind === "export") {
    const { source: archive, onProgress, hold = false } = request;
    return importArchive(context, { archive, hold, ...(onProgress === undefined ? {} : { onProgress }) });
  }
  // Unpacked in a staging folder of its own: it is a source, and the tree is made from it elsewhere.
  return withStagingFolder(context, async ({ scratch }) => {
    const folder = scratch();
    await unpackPackage({ fs, archive: request.source, into: folder });
    const provenance = { source: request.source, commit: null, dirty: null };
    return stageFolder(context, { ...request, source: folder, provenance });
  });
}
