/**
 * createStore: binds every operation to its ports.
 *
 * What stages, verifies, repairs, collects or exchanges is loaded when it is first called, so that
 * a question to the index costs no more than the index.
 */
import { recordNarHash } from "./index/generations.ts";
import { activate, rollback } from "./profile/activate.ts";
import { createAdmission } from "./profile/admission.ts";
import { createLaunchPins } from "./profile/launch-pins.ts";
import { pin, pinForProcess, unpin } from "./profile/manual-pins.ts";
import { createScopeRecords } from "./profile/scope-records.ts";
import { resolve } from "./resolve.ts";
import { history, list, readOrDamaged, requireGeneration, show } from "./show.ts";
import type { Store } from "./store.ts";
import { createStoreContext, type StoreDeps } from "./store-context.ts";
import { withStoreErrors, withStoreErrorsAsync, withStoreErrorsIn } from "./store-errors.ts";
import { why } from "./why.ts";

/** A store on these ports. Makes and opens nothing before the first call that needs it. */
export function createStore(deps: StoreDeps): Store {
  const context = createStoreContext(deps);
  const { layout, fs } = context;
  return {
    stage: (request) =>
      withStoreErrorsAsync(`stage ${request.source}`, async () => {
        const { stageSource } = await import("./stage/stage-source.ts");
        return stageSource(context, request);
      }),
    importFrom: (request) =>
      withStoreErrorsAsync(`import ${request.archive}`, async () => {
        const { importArchive } = await import("./exchange/import.ts");
        return importArchive(context, request);
      }),
    exportTo: (id, target) =>
      withStoreErrorsAsync(`export ${id}`, async () => {
        requireGeneration(context.reading(), id);
        const exported = {
          id,
          listing: readOrDamaged(id, () => fs.readFileSync(layout.listing(id))),
          tree: layout.generation(id),
        };
        if ("write" in target) {
          const { exportArchive } = await import("./exchange/export-archive.ts");
          return { generation: id, ...(await exportArchive({ fs, ...exported, write: target.write })) };
        }
        const { writeExportFile } = await import("./exchange/write-export-file.ts");
        return {
          generation: id,
          ...(await writeExportFile({ fs, ids: deps.ids, file: target.file, ...exported })),
        };
      }),
    resolve: (reference, profile) =>
      withStoreErrors("read the index", () => resolve(context, reference, profile)),
    list: () => withStoreErrors("read the index", () => list(context)),
    show: (id) => withStoreErrors(`read generation ${id}`, () => show(context, id)),
    files: (id) =>
      withStoreErrorsAsync(`read generation ${id}`, async () => {
        const { listFiles } = await import("./list-files.ts");
        return listFiles(context, id);
      }),
    sums: (id) =>
      withStoreErrorsAsync(`read generation ${id}`, async () => {
        requireGeneration(context.reading(), id);
        const { sums } = await import("./check/sums.ts");
        return sums(context, id);
      }),
    narHash: (id) =>
      withStoreErrorsAsync(`read generation ${id}`, async () => {
        const known = requireGeneration(context.reading(), id).narHash;
        if (known !== null) return known;
        const { narHash } = await import("./identity/nar.ts");
        const { readEntries } = await import("./list-files.ts");
        const entries = readEntries(context, id);
        const hash = readOrDamaged(id, () => narHash({ fs, tree: layout.generation(id), entries }));
        recordNarHash(context.writing(), id, hash);
        return hash;
      }),
    diff: (a, b) =>
      withStoreErrorsAsync("compare two generations", async () => {
        const { diff } = await import("./check/diff.ts");
        return diff(context, a, b);
      }),
    why: (id) => withStoreErrors(`read generation ${id}`, () => why(context, id)),
    verify: (request) =>
      withStoreErrorsAsync("verify the store", async () => {
        const { verify } = await import("./check/verify.ts");
        return verify(context, request);
      }),
    repair: (request) =>
      withStoreErrorsAsync(`repair generation ${request.generation}`, async () => {
        const { repair } = await import("./check/repair.ts");
        return repair(context, request);
      }),
    activate: (request) =>
      withStoreErrors(`activate ${request.generation}`, () => activate(context, request)),
    rollback: (request) => withStoreErrors(`roll back ${request.profile}`, () => rollback(context, request)),
    history: (profile) => withStoreErrors("read the index", () => history(context, profile)),
    pin: (request) => withStoreErrors(`pin ${request.generation}`, () => pin(context, request)),
    unpin: (pinId) => withStoreErrors(`release pin ${pinId}`, () => unpin(context, pinId)),
    pinForProcess: (id, reason) => withStoreErrors(`pin ${id}`, () => pinForProcess(context, id, reason)),
    launches: withStoreErrorsIn("move a launch pin", createLaunchPins(context)),
    admission: withStoreErrorsIn("read or move the admission", createAdmission(context)),
    scopes: withStoreErrorsIn("read or record a scope", createScopeRecords(context)),
    collect: (request) =>
      withStoreErrorsAsync("collect", async () => {
        const { collect } = await import("./collect/collect.ts");
        return collect(context, request);
      }),
    info: () =>
      withStoreErrorsAsync("read the store", async () => {
        const { info } = await import("./info.ts");
        return info(context);
      }),
    close: () => context.close(),
  };
}
