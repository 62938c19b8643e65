/**
 * Stages whatever the source is: a folder, an npm package, or an archive that `export` made. What
 * reads archives is loaded only for one.
 */
import { CodedError } from "../../kernel/errors.ts";
import { isExportRoot, sourceKind } from "../exchange/open-source.ts";
import type { StageProgress, StageRequest, StageResult } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { stageFolder } from "./stage-folder.ts";
import { withStagingFolder } from "./staging-folder.ts";

export async function stageSource(context: StoreContext, request: StageRequest): Promise<StageResult> {
  // Before anything is read: a store that is refused is refused at once, whatever the source is.
  context.reading();
  const kind = sourceKind(context.fs, request.source);
  if (kind === "folder") return stageFolder(context, request);
  if (kind === "export") return stageExport(context, request);
  return (await stagePackage(context, request)) ?? stageExport(context, request);
}

/** Null for an export that was compressed, which only its top folder tells. */
async function stagePackage(context: StoreContext, request: StageRequest): Promise<StageResult | null> {
  // Unpacked in a staging folder of its own: it is a source, and the tree is made from it elsewhere.
  return withStagingFolder(context, async ({ scratch }) => {
    const { unpackPackage } = await import("../source/archive/unpack-package.ts");
    const folder = scratch();
    const { root } = await unpackPackage({ fs: context.fs, archive: request.source, into: folder });
    if (isExportRoot(root)) return null;
    const provenance = { source: request.source, commit: null, dirty: null };
    return stageFolder(context, { ...request, source: folder, provenance });
  });
}

async function stageExport(context: StoreContext, request: StageRequest): Promise<StageResult> {
  const { source: archive, hold = false, recipe, name, signal } = request;
  if (recipe !== undefined || name !== undefined) {
    const what = recipe === undefined ? "name" : "recipe";
    throw new CodedError(
      "invalid_input",
      `${archive} holds a generation, which is taken as it is; a ${what} would make it another one.`,
      { hint: `Leave the ${what} out.`, fields: { archive, changed: false } },
    );
  }
  const onProgress = (progress: StageProgress) => {
    signal?.throwIfAborted();
    request.onProgress?.(progress);
  };
  const { importArchive } = await import("../exchange/import.ts");
  return importArchive(context, { archive, hold, onProgress });
}
