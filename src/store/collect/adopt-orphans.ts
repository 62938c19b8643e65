/**
 * adoptOrphans: a tree that stands in the store without a row gets one, if it is whole.
 *
 * Such a tree is what a crash between rename and commit leaves, or what is left where the index
 * was lost. It is never thrown away unseen: workers may run from it. A damaged one goes to trash,
 * which is not deleted while anything runs from it.
 */
import { join } from "node:path";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { createVerifyTree } from "../check/verify-tree.ts";
import { verifiedEntries } from "../identity/listing.ts";
import type { GenerationId } from "../identity/object-id.ts";
import { recordAudit } from "../index/audit.ts";
import { insertGeneration, readGeneration } from "../index/generations.ts";
import type { Index } from "../index/open-index.ts";
import { GENERATION_FILE, provenGenerationFile } from "../source/generation-file.ts";
import { createPool } from "../stage/create-pool.ts";
import type { StoreContext } from "../store-context.ts";

const GENERATION_ID = /^[0-9a-f]{64}$/;

export async function adoptOrphans(context: StoreContext, db: Index): Promise<void> {
  for (const id of context.fs.readdirSync(context.layout.generations)) {
    if (!GENERATION_ID.test(id) || readGeneration(db, id) !== null) continue;
    const orphan = await readOrphan(context, id);
    db.transaction(() => settle(context, db, { id, orphan })).immediate();
    context.failpoints.hit("gc:adopted");
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
function settle(context: StoreContext, db: Index, { id, orphan }: Settling): void {
  const { fs, layout, ids, clock, processes } = context;
  const tree = layout.generation(id);
  if (readGeneration(db, id) !== null || fs.lstatSync(tree, { throwIfNoEntry: false }) === undefined) return;
  if (orphan === null) {
    // A script is told from its path, so a process that runs from here would not be found in trash.
    if (processes.executingBelow(tree).executing.length > 0) return;
    fs.renameSync(tree, layout.trash(ids.hex(8)));
    return;
  }
  const now = clock.now();
  const unknown = { source: "", sourceCommit: null, sourceDirty: null, importMethods: "{}" };
  insertGeneration(db, { id, stagedAt: now, ...orphan, ...unknown });
  recordAudit(db, { at: now, action: "adopted", generation: id, detail: { name: orphan.name } });
}

/** What the row needs; null if the tree is not whole, down to the last byte and mode. */
async function readOrphan(context: StoreContext, id: GenerationId): Promise<Orphan | null> {
  const { fs, layout } = context;
  try {
    const entries = verifiedEntries(fs.readFileSync(layout.listing(id)), id);
    const files = entries.filter(({ kind }) => kind !== "folder").length;
    const sizeBytes = entries.reduce((sum, entry) => sum + (entry.kind === "file" ? entry.size : 0), 0);
    const pool = createPool(context, { files, bytes: sizeBytes, ownPaths: [] });
    try {
      const { damage } = await createVerifyTree({ fs, layout, pool })(id, { quick: false });
      if (damage.length > 0) return null;
    } finally {
      await pool.close();
    }
    const { name } = provenGenerationFile(fs.readFileSync(join(layout.generation(id), GENERATION_FILE)));
    return { name, files, sizeBytes };
  } catch (error) {
    if (error instanceof CodedError || systemCode(error) === "ENOENT") return null;
    throw error;
  }
}
