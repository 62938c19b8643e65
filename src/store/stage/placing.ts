/**
 * Where the entries of a plan are placed: brings files into the tree by way of the pool, and keeps
 * what came of each, as columns beside the plan's.
 */
import type { FileSystem } from "../file-system.ts";
import { FIXED_MTIME_S } from "../identity/fixed-times.ts";
import { digestAt, hasDigest, MODE, pathReader, setDigest } from "../identity/tree-table.ts";
import { type Finding, finding } from "../source/finding.ts";
import { type Plan, sourcePath } from "../source/plan.ts";
import { statKeyAt } from "../source/stat-keys.ts";
import type { StageProgress } from "../store.ts";
import type { EntryPool } from "./entry-pool.ts";
import { type EntryJob, type EntryOutcome, writeFully, writeTarget } from "./place-entry.ts";
import type { ContentOrigin } from "./share-content.ts";

/** Why a tree was not built. */
export type Trouble =
  | { readonly outcome: "changed"; readonly paths: readonly string[] }
  | { readonly outcome: "missing" }
  | { readonly outcome: "refused"; readonly findings: readonly Finding[] };

export interface Placing {
  /** Places files, and sets the digests of those that had none. */
  place(rows: readonly number[]): Promise<Trouble | null>;
  /** Makes links, empty folders, and what the assembly made itself. */
  placeRest(): void;
  /** By row. */
  readonly inodes: Float64Array;
  /** Rows of files whose content the store did not have. */
  readonly fresh: readonly number[];
  readonly reused: { readonly files: number; readonly bytes: number };
  readonly methods: Readonly<Partial<Record<ContentOrigin, number>>>;
}

export interface PlacingRequest {
  readonly fs: FileSystem;
  readonly plan: Plan;
  /** Opened only if there is something to place. */
  readonly openPool: () => EntryPool;
  /** Makes the staging folder, empty, where it is not made yet; its absolute path. */
  readonly openTree: () => string;
  /** What there is to place in all. */
  readonly total: { readonly files: number; readonly bytes: number };
  readonly onProgress: (progress: StageProgress) => void;
}

export function createPlacing({ fs, plan, openPool, openTree, total, onProgress }: PlacingRequest): Placing {
  const { tree } = plan;
  const pathOf = pathReader(tree);
  const inodes = new Float64Array(tree.rows);
  const fresh: number[] = [];
  const reused = { files: 0, bytes: 0 };
  const methods: Partial<Record<ContentOrigin, number>> = {};
  const makeFolder = folderMaker(fs, plan, openTree);
  let filesDone = 0;
  let bytesDone = 0;

  const keep = (row: number, { inode, isFresh, method }: Kept) => {
    inodes[row] = inode;
    methods[method] = (methods[method] ?? 0) + 1;
    if (isFresh) {
      fresh.push(row);
    } else {
      reused.files += 1;
      reused.bytes += tree.sizes[row]!;
    }
  };
  return {
    inodes,
    fresh,
    reused,
    methods,
    async place(rows) {
      if (rows.length === 0) return null;
      const trouble = createTrouble();
      await openPool().run("place", {
        count: rows.length,
        sizeOf: (index) => tree.sizes[rows[index]!]!,
        jobAt(index) {
          const row = rows[index]!;
          makeFolder(tree.parents[row]!);
          return jobFor(plan, openTree(), row, pathOf(row));
        },
        take(index, outcome) {
          const row = rows[index]!;
          if (outcome.outcome !== "placed") return trouble.add(pathOf(row), outcome);
          const { digest, inode, fresh: isFresh, method } = outcome;
          if (!hasDigest(tree, row)) setDigest(tree, row, digest);
          keep(row, { inode, isFresh, method });
        },
        onDone(count, bytes) {
          filesDone += count;
          bytesDone += bytes;
          const { files: filesTotal, bytes: bytesTotal } = total;
          onProgress({ step: "digest", filesDone, filesTotal, bytesDone, bytesTotal });
        },
      });
      return trouble.found();
    },
    placeRest() {
      for (let row = 1; row < tree.rows; row += 1) {
        if (tree.modes[row] === MODE.emptyFolder) makeFolder(row);
        const target = tree.targets.get(row);
        const bytes = plan.bytes.get(row);
        if (target === undefined && bytes === undefined) continue;
        makeFolder(tree.parents[row]!);
        const to = `${openTree()}/${pathOf(row)}`;
        if (target !== undefined) makeLink(fs, to, target);
        if (bytes !== undefined) {
          const executable = tree.modes[row] === MODE.executable;
          const inode = writeTarget(fs, { to, executable }, (target) => writeFully(fs, target, bytes));
          keep(row, { inode, isFresh: bytes.byteLength > 0, method: "written" });
        }
      }
    },
  };
}

interface Kept {
  readonly inode: number;
  readonly isFresh: boolean;
  readonly method: ContentOrigin;
}

/** Makes a folder of the tree, and those around it, where they are not made yet. */
function folderMaker(fs: FileSystem, { tree }: Plan, openTree: () => string): (row: number) => void {
  const made = new Uint8Array(tree.rows);
  const pathOf = pathReader(tree);
  return function makeFolder(row) {
    if (made[row] === 1) return;
    made[row] = 1;
    const root = openTree();
    if (row === 0) return;
    makeFolder(tree.parents[row]!);
    fs.mkdirSync(`${root}/${pathOf(row)}`, { mode: 0o700 });
  };
}

function jobFor(plan: Plan, root: string, row: number, path: string): EntryJob {
  const { tree, statKeys } = plan;
  const isFromSource = plan.originOf[row] !== 0;
  return {
    to: `${root}/${path}`,
    executable: tree.modes[row] === MODE.executable,
    size: tree.sizes[row]!,
    from: isFromSource ? sourcePath(plan, row, path) : null,
    statKey: isFromSource ? statKeyAt(statKeys, row) : null,
    digest: hasDigest(tree, row) ? digestAt(tree, row) : null,
  };
}

function makeLink(fs: FileSystem, at: string, target: string): void {
  fs.symlinkSync(target, at);
  fs.lutimesSync(at, FIXED_MTIME_S, FIXED_MTIME_S);
}

function createTrouble() {
  const changed: string[] = [];
  const findings: Finding[] = [];
  let missing = false;
  return {
    add(path: string, outcome: Exclude<EntryOutcome, { outcome: "placed" }>): void {
      if (outcome.outcome === "changed") changed.push(path);
      else if (outcome.outcome === "missing") missing = true;
      else findings.push(finding("own-path", path, `it holds ${outcome.ownPath}`));
    },
    found(): Trouble | null {
      if (findings.length > 0) return { outcome: "refused", findings };
      if (missing) return { outcome: "missing" };
      return changed.length > 0 ? { outcome: "changed", paths: changed } : null;
    },
  };
}
