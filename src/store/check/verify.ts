/** verify: every asked generation against its listing, all damage named. */
import { listGenerations, readGeneration } from "../index/generations.ts";
import { requireGeneration } from "../show.ts";
import { createPool } from "../stage/create-pool.ts";
import type { Damage, VerifyRequest, VerifyResult } from "../store.ts";
import type { StoreContext } from "../store-context.ts";
import { createVerifyTree } from "./verify-tree.ts";

export async function verify(context: StoreContext, request: VerifyRequest): Promise<VerifyResult> {
  const { fs, layout } = context;
  const db = context.reading();
  const rows =
    request.generations === undefined
      ? listGenerations(db)
      : request.generations.map((id) => requireGeneration(db, id));
  const filesTotal = rows.reduce((sum, { files }) => sum + files, 0);
  const bytesTotal = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const quick = request.quick === true;
  const pool = createPool(context, {
    files: quick ? filesTotal / LOOKS_FOR_A_READ : filesTotal,
    bytes: quick ? 0 : bytesTotal,
    ownPaths: [],
  });
  const verifyTree = createVerifyTree({ fs, layout, pool });
  let filesDone = 0;
  let bytesDone = 0;
  const onProgress = (files: number, bytes: number) => {
    filesDone += files;
    bytesDone += bytes;
    request.onProgress?.({ step: "digest", filesDone, filesTotal, bytesDone, bytesTotal });
  };
  const damage: Damage[] = [];
  let checked = 0;
  let elsewhere = 0;
  try {
    for (const row of rows) {
      // Being taken apart by a collection, so no longer anybody's.
      if (row.state === "collecting") continue;
      const { id } = row;
      let verdict = await verifyTree(id, { quick, onProgress });
      let stagedAt = row.stagedAt;
      for (let now = readGeneration(db, id); verdict.damage.length > 0; now = readGeneration(db, id)) {
        if (now === null || now.state !== "present" || now.stagedAt === stagedAt) break;
        // Collected and staged anew while it was looked at: what was missing then is no damage.
        stagedAt = now.stagedAt;
        verdict = await verifyTree(id, { quick });
      }
      // Collected while it was looked at.
      if (verdict.damage.length > 0 && readGeneration(db, id)?.state !== "present") continue;
      checked += 1;
      damage.push(...verdict.damage);
      if (!verdict.inodesCompared) elsewhere += 1;
    }
  } finally {
    await pool.close();
  }
  const blind = quick ? blindSpots(elsewhere) : [];
  return { ok: damage.length === 0, checked, damage, blind };
}

// A launch verifies quickly, and a second thread that costs more than it saves is no help to it.
const LOOKS_FOR_A_READ = 25;

function blindSpots(elsewhere: number): string[] {
  const spots = ["Bytes that changed in place, with size, mode and time put back; a full verify reads them."];
  if (elsewhere > 0) {
    spots.push(
      `In ${elsewhere} generations files that were replaced by others of the same size and time: no inodes are on record for this place.`,
    );
  }
  return spots;
}
