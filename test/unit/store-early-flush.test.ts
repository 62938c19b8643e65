import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLayout } from "../../src/store/layout.ts";
import { createNodeFileSystem } from "../../src/store/node-file-system.ts";
import { withEarlyFlush } from "../../src/store/stage/early-flush.ts";
import { createInlinePool } from "../../src/store/stage/entry-pool.ts";
import { createEntryTasks } from "../../src/store/stage/entry-tasks.ts";
import { createContentSharer } from "../../src/store/stage/share-content.ts";

const MIB = 1024 * 1024;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "swarm-gen-test-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Places empty files that are said to have `sizes`; how many flushes were started, and files told of. */
async function place(...sizes: readonly number[]): Promise<{ started: number; told: number }> {
  const fs = createNodeFileSystem();
  const sharer = createContentSharer(fs, "auto");
  const tasks = createEntryTasks({ fs, layout: createLayout(join(folder, "store")), sharer, ownPaths: [] });
  let started = 0;
  let told = 0;
  const pool = withEarlyFlush(createInlinePool(tasks), () => {
    started += 1;
  });
  const job = { executable: false, size: 0, from: null, statKey: null, digest: null };
  await pool.run("place", {
    count: sizes.length,
    sizeOf: (index) => sizes[index] ?? 0,
    jobAt: (index) => ({ ...job, to: join(folder, String(index)) }),
    take: () => {},
    onDone: (files) => {
      told += files;
    },
  });
  return { started, told };
}

describe("a tree in the making begins to be flushed", () => {
  it("at every 256 MiB, and when all is placed", async () => {
    expect(await place(...Array.from({ length: 9 }, () => 64 * MIB))).toEqual({ started: 3, told: 9 });
  });

  it("once where it is smaller", async () => {
    expect(await place(1, 2, 3)).toEqual({ started: 1, told: 3 });
  });

  it("without a complaint about a folder that is gone", () => {
    expect(() => createNodeFileSystem().startFlush(join(folder, "gone"))).not.toThrow();
  });
});
