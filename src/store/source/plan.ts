/**
 * What a generation will hold, before anything of it is read: the product of `source/`, and all
 * that `stage/` needs to know.
 *
 * A tree as columns (`identity/tree-table.ts`), and beside each row where its content comes from.
 * An entry becomes an object only while somebody looks at it: `for (const entry of plan)`.
 * Folders that were walked keep their stat keys too; they change when an entry comes or goes.
 */
import type { BigIntStats } from "node:fs";
import { invariant } from "../../kernel/errors.ts";
import { withRoom } from "../columns.ts";
import {
  addAt,
  addRow,
  createTreeTable,
  digestAt,
  folderAt,
  hasDigest,
  isFolder,
  MODE,
  nameOf,
  pathReader,
  setDigest,
  type TreeTable,
} from "../identity/tree-table.ts";
import type { PlannedEntry } from "./planned-entry.ts";
import { STAT_KEY_WORDS, type StatKeys, setStatKey } from "./stat-keys.ts";

export interface Plan extends Iterable<PlannedEntry> {
  readonly tree: TreeTable;
  /** Where files come from: a folder with a "/" at its end, below which a row's path stands, or one file. */
  readonly origins: string[];
  /** For each row the index of its origin and one; 0 for what no file or folder of a source stands behind. */
  originOf: Uint16Array;
  /** For each row with an origin. */
  statKeys: StatKeys;
  /** Contents that the assembly made itself, by row. */
  readonly bytes: Map<number, Uint8Array>;
}

export function createPlan(): Plan {
  const plan: Plan = {
    tree: createTreeTable(),
    origins: [],
    originOf: new Uint16Array(0),
    statKeys: new BigUint64Array(0),
    bytes: new Map(),
    [Symbol.iterator]: () => entriesOf(plan),
  };
  makeRoom(plan);
  return plan;
}

function makeRoom(plan: Plan): void {
  plan.originOf = withRoom(plan.originOf, plan.tree.rows);
  plan.statKeys = withRoom(plan.statKeys, plan.tree.rows * STAT_KEY_WORDS);
}

/** Adds any entry but one that a source's file stands behind. */
export function addEntry(plan: Plan, entry: Exclude<PlannedEntry, { kind: "file" }>): void {
  const { tree } = plan;
  const { path } = entry;
  if (entry.kind === "folder") {
    tree.modes[folderAt(tree, path)] = MODE.emptyFolder;
  } else if (entry.kind === "link") {
    const size = Buffer.byteLength(entry.target);
    tree.targets.set(addAt(tree, path, { mode: MODE.link, size }), entry.target);
  } else {
    const mode = fileMode(entry.executable);
    const size = entry.kind === "bytes" ? entry.bytes.byteLength : entry.size;
    const row = addAt(tree, path, { mode, size });
    if (entry.kind === "bytes") plan.bytes.set(row, entry.bytes);
    else setDigest(tree, row, entry.digest);
  }
  makeRoom(plan);
}

export function fileMode(executable: boolean): typeof MODE.executable | typeof MODE.file {
  return executable ? MODE.executable : MODE.file;
}

/** Says that a file or folder of a source stands behind a row, and how it looked. */
export function setOrigin(plan: Plan, row: number, origin: string, stats: BigIntStats): void {
  makeRoom(plan);
  const { origins, originOf } = plan;
  invariant(originOf[row] === 0, "one file or folder of one source stands behind a row");
  // Usually the one that was added last.
  const known = origins.lastIndexOf(origin);
  originOf[row] = known < 0 ? origins.push(origin) : known + 1;
  setStatKey(plan.statKeys, row, stats);
}

/** Adds all of `other`, whose paths are other ones but for folders. */
export function appendPlan(plan: Plan, other: Plan): void {
  const { tree } = plan;
  const pathOf = pathReader(other.tree);
  const rows = new Uint32Array(other.tree.rows);
  for (let from = 0; from < other.tree.rows; from += 1) {
    const mode = other.tree.modes[from] as NonNullable<(typeof MODE)[keyof typeof MODE]>;
    if (isFolder(other.tree, from)) {
      rows[from] = folderAt(tree, pathOf(from));
      if (mode === MODE.emptyFolder) tree.modes[rows[from]!] = mode;
    } else {
      const parent = rows[other.tree.parents[from]!]!;
      rows[from] = addRow(tree, {
        parent,
        name: nameOf(other.tree, from),
        mode,
        size: other.tree.sizes[from]!,
      });
      if (hasDigest(other.tree, from)) setDigest(tree, rows[from]!, digestAt(other.tree, from));
    }
    copyContent(plan, rows[from]!, other, from);
  }
}

function copyContent(plan: Plan, row: number, other: Plan, from: number): void {
  makeRoom(plan);
  const target = other.tree.targets.get(from);
  if (target !== undefined) plan.tree.targets.set(row, target);
  const bytes = other.bytes.get(from);
  if (bytes !== undefined) plan.bytes.set(row, bytes);
  const origin = other.origins[other.originOf[from]! - 1];
  if (origin === undefined) return;
  invariant(plan.originOf[row] === 0, "one file or folder of one source stands behind a row");
  const known = plan.origins.indexOf(origin);
  plan.originOf[row] = known < 0 ? plan.origins.push(origin) : known + 1;
  const words = other.statKeys.subarray(from * STAT_KEY_WORDS, (from + 1) * STAT_KEY_WORDS);
  plan.statKeys.set(words, row * STAT_KEY_WORDS);
}

/** The absolute path of what stands behind a row that has an origin. */
export function sourcePath(plan: Plan, row: number, path: string): string {
  const origin = plan.origins[plan.originOf[row]! - 1];
  invariant(origin !== undefined, `something of a source stands behind ${path}`);
  if (!origin.endsWith("/")) return origin;
  return path === "" && origin !== "/" ? origin.slice(0, -1) : origin + path;
}

/** Absolute paths of the folders that were read. */
export function* walkedFolders(plan: Plan): Generator<string> {
  const pathOf = pathReader(plan.tree);
  for (let row = 0; row < plan.tree.rows; row += 1) {
    if (isFolder(plan.tree, row) && plan.originOf[row] !== 0) yield sourcePath(plan, row, pathOf(row));
  }
}

export function findEntry(plan: Plan, path: string): PlannedEntry | null {
  for (const entry of plan) if (entry.path === path) return entry;
  return null;
}

function* entriesOf(plan: Plan): Generator<PlannedEntry, undefined> {
  const { tree } = plan;
  const pathOf = pathReader(tree);
  for (let row = 1; row < tree.rows; row += 1) {
    if (tree.modes[row] !== MODE.folder) yield entryAt(plan, row, pathOf(row));
  }
}

function entryAt(plan: Plan, row: number, path: string): PlannedEntry {
  const { tree } = plan;
  const mode = tree.modes[row];
  if (mode === MODE.emptyFolder) return { kind: "folder", path };
  if (mode === MODE.link) return { kind: "link", path, target: tree.targets.get(row)! };
  const executable = mode === MODE.executable;
  const size = tree.sizes[row]!;
  if (plan.originOf[row] !== 0) {
    return { kind: "file", path, executable, from: sourcePath(plan, row, path), size };
  }
  const bytes = plan.bytes.get(row);
  if (bytes !== undefined) return { kind: "bytes", path, executable, bytes };
  return { kind: "blob", path, executable, digest: digestAt(tree, row), size };
}
