/**
 * adoptOrphans: a tree that stands in the store without a row gets one, if it is whole.
 *
 * Such a tree is what a crash between rename and commit leaves, or what is left where the index
 * was lost. It is never thrown away unseen: workers may run from it. A damaged one goes to trash,
 * which is not deleted while anything runs from it.
 */
import { join } from "node:path";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { type ListingEntry, verifiedEntries } from "../identity/listing.ts";
import { blobDigest, type GenerationId } from "../identity/object-id.ts";
import { recordAudit } from "../index/audit.ts";
import { insertGeneration, readGeneration } from "../index/generations.ts";
import type { Index } from "../index/open-index.ts";
import { GENERATION_FILE, provenGenerationFile } from "../source/generation-file.ts";
import type { StoreContext } from "../store-context.ts";

const GENERATION_ID = /^[0-9a-f]{64}$/;

export function adoptOrphans(context: StoreContext, db: Index): void {
  for (const id of context.fs.readdirSync(context.layout.generations)) {
    if (!GENERATION_ID.test(id) || readGeneration(db, id) !== null) continue;
    const orphan = readOrphan(context, id);
    db.transaction(() => settle(context, db, { id, orphan })).immediate();
  }
}

interface Orphan {
  readonly name: string;
  readonly files: number;
  readonly sizeBytes: number;
}

interface Settling {
  readonly id: GenerationId;
  readonly orphan: Orphan | null;
}

/** Under the write lock: a publication that was on its way has its row by now. */
function settle({ fs, layout, ids, clock }: StoreContext, db: Index, { id, orphan }: Settling): void {
  const tree = layout.generation(id);
  if (readGeneration(db, id) !== null || fs.lstatSync(tree, { throwIfNoEntry: false }) === undefined) return;
  if (orphan === null) {
    fs.renameSync(tree, layout.trash(ids.hex(8)));
    return;
  }
  const now = clock.now();
  const unknown = { source: "", sourceCommit: null, sourceDirty: null, importMethods: "{}" };
  insertGeneration(db, { id, stagedAt: now, ...orphan, ...unknown });
  recordAudit(db, { at: now, action: "adopted", generation: id, detail: { name: orphan.name } });
}

/** What the row needs; null if the tree is not whole. */
function readOrphan({ fs, layout }: StoreContext, id: GenerationId): Orphan | null {
  try {
    const entries = verifiedEntries(fs.readFileSync(layout.listing(id)), id);
    const tree = layout.generation(id);
    if (!entries.every((entry) => looksWhole(fs, join(tree, entry.path), entry))) return null;
    const described = fs.readFileSync(join(tree, GENERATION_FILE));
    const expected = entries.find(({ path }) => path === GENERATION_FILE);
    if (expected?.digest !== blobDigest(described)) return null;
    const { name } = provenGenerationFile(described);
    const files = entries.filter(({ kind }) => kind !== "folder").length;
    const sizeBytes = entries.reduce((sum, entry) => sum + (entry.kind === "file" ? entry.size : 0), 0);
    return { name, files, sizeBytes };
  } catch (error) {
    if (error instanceof CodedError || systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

function looksWhole(fs: StoreContext["fs"], path: string, entry: ListingEntry): boolean {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (entry.kind === "folder") return stats.isDirectory();
  return entry.kind === "link" ? stats.isSymbolicLink() : stats.isFile() && stats.size === entry.size;
}
