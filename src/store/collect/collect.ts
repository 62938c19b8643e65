/**
 * collect: removes what no longer may execute, and what ended commands left behind.
 *
 * First one transaction: the plan is made over the rows as they are then, lapsed pins go, and what
 * is dead is marked `collecting`; from here on it cannot be pinned (STORE-3). Then, each in a
 * transaction of its own, a tree is renamed to trash and its row goes. Files are removed last and
 * outside of all locks. A crash anywhere leaves work that the next collection, or the next stage
 * of the same content, brings to its end.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { GenerationId } from "../identity/object-id.ts";
import { listProfiles, recentActivations } from "../index/activations.ts";
import { recordAudit } from "../index/audit.ts";
import { deleteCollecting, listGenerations, markCollecting, readGeneration } from "../index/generations.ts";
import type { Index } from "../index/open-index.ts";
import { allPins, deletePin } from "../index/pins.ts";
import { KEPT_ACTIVATIONS } from "../profile/activation-pins.ts";
import type { CollectRequest, CollectResult, StageProgress } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { adoptOrphans } from "./adopt-orphans.ts";
import type { BlobName } from "./live-blobs.ts";
import { liveBlobs } from "./live-blobs.ts";
import { type CollectionPlan, planCollection } from "./plan.ts";
import { blobsMissingFor, removeBlobs, unreferencedBlobs } from "./sweep-blobs.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";

/** What was staged less than this ago stays, pinned or not: a person may be about to activate it. */
export const GRACE_MS = 24 * 60 * 60 * 1000;

export async function collect(context: StoreContext, request: CollectRequest): Promise<CollectResult> {
  requireCount("keepLast", request.keepLast);
  requireCount("olderThanMs", request.olderThanMs);
  const { fs, layout } = context;
  if (request.mode !== "delete") {
    const db = context.reading();
    const plan = makePlan(context, db, request);
    const freed = layoutExists(context) ? unreferencedBlobs(fs, layout, liveBlobsOf(context, db, plan)) : [];
    return { ...summary(plan), deleted: [], freedBytes: sizeOf(freed), swept: 0 };
  }
  const tell = createTeller(request);
  const db = context.writing();
  await adoptOrphans(context, db);
  const plan = db.transaction(() => condemn(context, db, request)).immediate();
  context.failpoints.hit("gc:condemned");
  const deleted = plan.dead.filter((id) => bury(context, db, id));
  const freed = unreferencedBlobs(fs, layout, liveBlobsOf(context, db, plan));
  await removeBlobs(context, freed, (done) => tell("remove", done, freed.length));
  context.failpoints.hit("gc:blobs-removed");
  healNewcomers(context, db, plan);
  const swept = await sweepLeftovers(context, db, (done) => tell("sweep", done, 0));
  context.failpoints.hit("gc:swept");
  return { ...summary(plan), deleted, freedBytes: sizeOf(freed), swept };
}

type Tell = (step: StageProgress["step"], filesDone: number, filesTotal: number) => Promise<void>;

/** Tells how far it is, and lets the process hear a signal: the work itself never waits for anything. */
function createTeller({ onProgress }: CollectRequest): Tell {
  return async (step, filesDone, filesTotal) => {
    onProgress?.({ step, filesDone, filesTotal, bytesDone: 0, bytesTotal: 0 });
    await new Promise(setImmediate);
  };
}

/** Before anything is read: one activation fewer than none would let the current one die. */
function requireCount(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return;
  throw new CodedError("invalid_input", `${name} is ${value}; it must be a whole number, 0 or more.`, {
    fields: { [name]: value, changed: false },
  });
}

function makePlan(
  context: StoreContext,
  db: Index,
  { keepLast, olderThanMs }: CollectRequest,
): CollectionPlan {
  const keep = keepLast ?? KEPT_ACTIVATIONS;
  const kept = listProfiles(db).flatMap((profile) => recentActivations(db, profile, keep));
  return planCollection({
    generations: listGenerations(db),
    pins: allPins(db),
    keptActivations: new Set(kept.map(({ profile, number }) => `${profile}@${number}`)),
    keptGenerations: new Set(kept.map(({ generation }) => generation)),
    liveness: context.processes.liveness,
    scan: () => context.processes.executingBelow(context.layout.generations),
    generationsFolder: context.layout.generations,
    now: context.clock.now(),
    graceMs: olderThanMs ?? GRACE_MS,
  });
}

/** Inside an immediate transaction: nobody can pin between the plan and its marks. */
function condemn(context: StoreContext, db: Index, request: CollectRequest): CollectionPlan {
  const plan = makePlan(context, db, request);
  for (const pin of plan.lapsed) deletePin(db, pin.id);
  for (const id of plan.dead) markCollecting(db, id);
  context.failpoints.hit("gc:marked");
  return plan;
}

/** Takes a condemned generation out of sight; false if another process did so, or staged it anew. */
function bury(context: StoreContext, db: Index, id: GenerationId): boolean {
  const { fs, layout, ids, failpoints, clock } = context;
  const buried = db
    .transaction(() => {
      // The write lock is held from here, so no stage can publish this id in between.
      if (readGeneration(db, id)?.state !== "collecting") return false;
      if (exists(context, layout.generation(id)))
        fs.renameSync(layout.generation(id), layout.trash(ids.hex(8)));
      failpoints.hit("gc:tree-renamed");
      for (const path of [layout.listing(id), layout.inodeRecord(id)])
        if (exists(context, path)) fs.unlinkSync(path);
      failpoints.hit("gc:listing-removed");
      deleteCollecting(db, id);
      recordAudit(db, { at: clock.now(), action: "collected", generation: id, detail: {} });
      return true;
    })
    .immediate();
  failpoints.hit("gc:buried");
  return buried;
}

function liveBlobsOf({ fs, layout }: StoreContext, db: Index, plan: CollectionPlan): Set<BlobName> {
  const dead = new Set(plan.dead);
  const ids = listGenerations(db).flatMap(({ id }) => (dead.has(id) ? [] : [id]));
  return liveBlobs(fs, layout, ids, (id) => readGeneration(db, id)?.state !== "present");
}

/**
 * Gives back the blobs of generations that were published while blobs were being removed: their
 * stage may have found a blob there that this collection, which did not know them, then removed.
 */
function healNewcomers(context: StoreContext, db: Index, plan: CollectionPlan): void {
  const known = new Set([...plan.live, ...plan.dead]);
  for (const { id, state } of listGenerations(db)) {
    if (!known.has(id) && state === "present") blobsMissingFor(context, id);
  }
}

function summary({
  live,
  dead,
  executing,
}: CollectionPlan): Pick<CollectResult, "live" | "dead" | "executing"> {
  return { live, dead, executing };
}

function sizeOf(blobs: readonly { readonly size: number }[]): number {
  return blobs.reduce((sum, { size }) => sum + size, 0);
}

const layoutExists = (context: StoreContext): boolean => exists(context, context.layout.blobs);

function exists({ fs }: StoreContext, path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
