/**
 * repair: brings a damaged generation back to what its id says, from copies that prove themselves.
 *
 * Good content is searched by digest: among the blobs, in other generations' trees, and in a
 * folder or archive that the caller names. Nothing is guessed: where no good copy of a path
 * exists, nothing at all is changed and the missing paths are named.
 *
 * Files are mended one by one, written beside and renamed over, so that workers that run from the
 * tree are not disturbed. Where the tree or its listing is gone, the whole generation is staged
 * again from the given source and must come out with the same id.
 */

import { dirname, join } from "node:path";
import { CodedError } from "../../kernel/errors.ts";
import { sourceKind } from "../exchange/open-source.ts";
import type { FileSystem } from "../file-system.ts";
import { flushFolder } from "../flush-folder.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { type ListingEntry, verifiedEntries } from "../identity/listing.ts";
import type { GenerationId } from "../identity/object-id.ts";
import { recordAudit } from "../index/audit.ts";
import { pathExists } from "../path-exists.ts";
import { requireGeneration } from "../show.ts";
import { createPool } from "../stage/create-pool.ts";
import { writeFully } from "../stage/place-entry.ts";
import { removeTree } from "../stage/remove-tree.ts";
import { type StagingFolder, withStagingFolder } from "../stage/staging-folder.ts";
import type { Damage, RepairRequest, RepairResult } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { createGoodCopies, type GoodCopies, type GoodCopy } from "./good-copies.ts";
import { encodeInodeRecord } from "./inode-record.ts";
import { pinForRepair } from "./pin-for-repair.ts";
import { restoreListing } from "./restore-listing.ts";
import { createVerifyTree, type VerifyTree } from "./verify-tree.ts";

export async function repair(context: StoreContext, request: RepairRequest): Promise<RepairResult> {
  const { generation: id } = request;
  const { files, sizeBytes } = requireGeneration(context.reading(), id);
  return withStagingFolder(context, async (staging) => {
    const pool = createPool(context, { files, bytes: sizeBytes, ownPaths: [] });
    const verifyTree = createVerifyTree({ ...context, pool });
    const damageOf = async () => (await verifyTree(id, { quick: false })).damage;
    const pin = pinForRepair(context, id);
    try {
      const before = await damageOf();
      if (before.length === 0) return await renewInodes(context, id, verifyTree);
      const from = await openFrom(context, request, staging);
      if (before.some(({ kind }) => kind === "listing"))
        restoreListing(context, { id, from, beside: join(staging.scratch(), "listing") });
      const entries = verifiedEntries(context.fs.readFileSync(context.layout.listing(id)), id);
      const damage = await damageOf();
      // The disk gave the listing a moment ago and does not now: what else is damaged is not known.
      if (damage.some(({ kind }) => kind === "listing")) throw stillDamaged(id, damage);
      mend(context, { id, entries, damage, copies: createGoodCopies(context, from), staging });
      const left = await damageOf();
      if (left.length > 0) throw stillDamaged(id, left);
      return repaired(context, id, before);
    } finally {
      await pool.close();
      pin.release();
    }
  });
}

/**
 * Where every byte is right, quick verification may still miss a file that was replaced by its
 * equal, or have no record for this place. The tree was just proven, so its inodes are the ones.
 */
async function renewInodes(
  context: StoreContext,
  id: GenerationId,
  verifyTree: VerifyTree,
): Promise<RepairResult> {
  const { fs, layout } = context;
  const quick = await verifyTree(id, { quick: true });
  if (quick.damage.length === 0 && quick.inodesCompared)
    return { generation: id, repaired: [], changed: false };
  writeInodes(context, id, verifiedEntries(fs.readFileSync(layout.listing(id)), id));
  return repaired(context, id, quick.damage);
}

function repaired(context: StoreContext, id: GenerationId, damage: readonly Damage[]): RepairResult {
  const detail = { paths: damage.length };
  recordAudit(context.writing(), { at: context.clock.now(), action: "repaired", generation: id, detail });
  return { generation: id, repaired: damage, changed: true };
}

/** The folder that holds good copies; an archive is unpacked for it first. */
async function openFrom(
  context: StoreContext,
  { from }: RepairRequest,
  staging: StagingFolder,
): Promise<string | null> {
  if (from === undefined) return null;
  if (sourceKind(context.fs, from) === "folder") return from;
  const { unpackPackage } = await import("../source/archive/unpack-package.ts");
  const folder = staging.scratch();
  await unpackPackage({ fs: context.fs, archive: from, into: folder });
  return folder;
}

type FileEntry = Extract<ListingEntry, { kind: "file" }>;

interface Mending {
  readonly id: GenerationId;
  readonly entries: readonly ListingEntry[];
  readonly damage: readonly Damage[];
  readonly copies: GoodCopies;
  readonly staging: StagingFolder;
}

function mend(context: StoreContext, { id, entries, damage, copies, staging }: Mending): void {
  const { fs, layout } = context;
  const isTreeGone = damage.some(({ path, kind }) => path === "." && (kind === "missing" || kind === "type"));
  const needed = isTreeGone
    ? new Set(entries.map(({ path }) => path))
    : new Set(damage.map(({ path }) => path));
  const touched = entries.filter(({ path }) => needed.has(path));
  const files = touched.filter((entry): entry is FileEntry => entry.kind === "file");
  // All copies are found before anything is written: a repair is done whole or not begun.
  const found = new Map(files.map((entry) => [entry.path, copies.find(entry)]));
  const lost = files.filter(({ path }) => found.get(path) === null).map(({ path }) => path);
  if (lost.length > 0) throw noCopies(id, lost);

  const written = writeCopies(context, { copies, staging, found, files });
  const tree = layout.generation(id);
  const opened = createFolderOpener(fs, tree);
  if (isTreeGone) removeTree(fs, tree);
  if (isTreeGone) fs.mkdirSync(tree, { mode: 0o700 });
  for (const { path, kind } of damage) {
    if (kind !== "extra") continue;
    opened.open(dirname(path));
    removeTree(fs, join(tree, path));
  }
  for (const entry of touched) {
    opened.open(dirname(entry.path));
    const path = join(tree, entry.path);
    if (entry.kind === "folder") mendFolder(fs, path);
    else if (entry.kind === "link") mendLink(fs, path, entry.target);
    else {
      const beside = written.get(entry.path);
      if (beside === undefined) continue;
      if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) removeTree(fs, path);
      fs.renameSync(beside, path);
    }
    context.failpoints.hit("repair:entry-mended");
  }
  // A folder's own mode and time come last: mending what is in it changed both.
  for (const entry of entries) if (entry.kind === "folder" && needed.has(entry.path)) opened.open(entry.path);
  opened.open(".");
  opened.close();
  context.failpoints.hit("repair:sealed");
  fs.flush(tree);
  flushFolder(fs, layout.generations);
  writeInodes(context, id, entries);
}

interface WriteCopies extends Pick<Mending, "copies" | "staging"> {
  readonly found: ReadonlyMap<string, GoodCopy | null>;
  readonly files: readonly FileEntry[];
}

/**
 * Where the copy of each file stands. All are flushed before the first takes its place: power loss
 * between rename and flush would leave an empty file where the only good copy may have been.
 */
function writeCopies(
  { fs, failpoints }: StoreContext,
  { copies, staging, found, files }: WriteCopies,
): Map<string, string> {
  const written = new Map<string, string>();
  if (files.length === 0) return written;
  const folder = staging.scratch();
  for (const [index, entry] of files.entries()) {
    const copy = found.get(entry.path);
    if (copy == null) continue;
    const beside = join(folder, `mended-${index}`);
    copies.place(copy, entry, beside);
    written.set(entry.path, beside);
  }
  fs.flush(folder);
  failpoints.hit("repair:copies-flushed");
  copies.putBlobs();
  return written;
}

/** Makes folders writable while they are mended, and seals them again. */
function createFolderOpener(fs: FileSystem, tree: string) {
  const opened = new Set<string>();
  return {
    open(path: string) {
      const folder = join(tree, path);
      if (opened.has(folder) || fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
        return;
      fs.chmodSync(folder, 0o700);
      opened.add(folder);
    },
    close() {
      for (const folder of [...opened].sort().reverse()) {
        fs.chmodSync(folder, 0o555);
        fs.utimesSync(folder, FIXED_MTIME_S, FIXED_MTIME_S);
      }
    },
  };
}

function mendFolder(fs: FileSystem, path: string): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  if (stats !== undefined) fs.unlinkSync(path);
  fs.mkdirSync(path, { mode: 0o700 });
}

function mendLink(fs: FileSystem, path: string, target: string): void {
  removeTree(fs, path);
  fs.symlinkSync(target, path);
  fs.lutimesSync(path, FIXED_MTIME_S, FIXED_MTIME_S);
}

function writeInodes({ fs, layout }: StoreContext, id: GenerationId, entries: readonly ListingEntry[]): void {
  const tree = layout.generation(id);
  const { dev: device, ino: folder } = fs.lstatSync(tree);
  const files = entries.flatMap(({ kind, path }) =>
    kind === "folder" ? [] : [fs.lstatSync(join(tree, path)).ino],
  );
  const record = layout.inodeRecord(id);
  if (pathExists(fs, record)) fs.unlinkSync(record);
  const descriptor = fs.openSync(record, "wx", 0o600);
  try {
    writeFully(fs, descriptor, encodeInodeRecord({ device, folder, files }));
  } finally {
    fs.closeSync(descriptor);
  }
}

function noCopies(id: GenerationId, lost: readonly string[]): CodedError {
  const shown = lost.slice(0, 10).join(", ");
  const more = lost.length > 10 ? ` and ${lost.length - 10} more` : "";
  return new CodedError(
    "generation_damaged",
    `No good copy is at hand of ${shown}${more}; nothing was changed.`,
    {
      hint: `swarm-gen repair ${id} --from SOURCE takes them from a folder or an archive that has them.`,
      fields: { generation: id, paths: lost, changed: false },
    },
  );
}

function stillDamaged(id: GenerationId, left: readonly Damage[]): CodedError {
  return new CodedError("generation_damaged", `Generation ${id} is still damaged at ${left.length} paths.`, {
    hint: `swarm-gen verify ${id} lists them.`,
    fields: { generation: id, damage: left, changed: true },
  });
}
