/**
 * A tree as columns: a row for each folder, file and link. What a generation is planned in, and
 * what its listing is folded from.
 *
 *   1  row 0 is the root; a folder's row comes before the rows of what is in it
 *   2  a folder has one row. Two files of one path are refused by `source/check-names.ts`
 *   3  a digest of zeros is one that is not known yet
 *
 * A row holds its name and the row of its folder; paths are made when they are asked for.
 */
import { withRoom } from "../columns.ts";
import type { Digest } from "./object-id.ts";

/** A `folder` stands where something stands in it; an `emptyFolder` stands by itself. */
export const MODE = { folder: 0, emptyFolder: 1, file: 2, executable: 3, link: 4 } as const;

type Mode = (typeof MODE)[keyof typeof MODE];

/** Columns are replaced as rows are added, so none is to be kept meanwhile. */
export interface TreeTable {
  rows: number;
  /** The row of the folder around it. */
  parents: Uint32Array;
  /** Where the name ends in `names`; it begins where the one before ends. */
  nameEnds: Uint32Array;
  /** UTF-8. */
  names: Buffer;
  modes: Uint8Array;
  /** Of a file or of a link's target, in bytes. */
  sizes: Float64Array;
  /** DIGEST_BYTES a row: of a file's content or of a link's target. */
  digests: Buffer;
  /** Links' targets, by row. */
  readonly targets: Map<number, string>;
  /** Folders' rows, by path. */
  readonly folders: Map<string, number>;
}

export const DIGEST_BYTES = 32;

export function createTreeTable(): TreeTable {
  const table: TreeTable = {
    rows: 0,
    parents: new Uint32Array(0),
    nameEnds: new Uint32Array(0),
    names: Buffer.alloc(0),
    modes: new Uint8Array(0),
    sizes: new Float64Array(0),
    digests: Buffer.alloc(0),
    targets: new Map(),
    folders: new Map(),
  };
  table.folders.set("", addRow(table, { parent: 0, name: "", mode: MODE.folder, size: 0 }));
  return table;
}

export interface NewRow {
  readonly parent: number;
  readonly name: string;
  readonly mode: Mode;
  readonly size: number;
}

/** Adds a file or link; its row. Folders are added by `folderAt`. */
export function addRow(table: TreeTable, { parent, name, mode, size }: NewRow): number {
  const row = table.rows;
  table.rows += 1;
  table.parents = withRoom(table.parents, table.rows);
  table.nameEnds = withRoom(table.nameEnds, table.rows);
  table.modes = withRoom(table.modes, table.rows);
  table.sizes = withRoom(table.sizes, table.rows);
  table.digests = withRoom(table.digests, table.rows * DIGEST_BYTES);
  const start = nameStart(table, row);
  // No UTF-16 unit takes more than three bytes.
  table.names = withRoom(table.names, start + name.length * 3);
  table.nameEnds[row] = start + table.names.write(name, start, "utf8");
  table.parents[row] = parent;
  table.modes[row] = mode;
  table.sizes[row] = size;
  return row;
}

/** The row of the folder at `path`, added with those around it where it is new. */
export function folderAt(table: TreeTable, path: string): number {
  let parent = 0;
  // Usually it is there, or the folder around it is.
  let end = path.length;
  for (; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const row = table.folders.get(path.slice(0, end));
    if (row === undefined) continue;
    parent = row;
    break;
  }
  for (let start = end < 0 ? 0 : end === 0 ? 0 : end + 1; start < path.length; ) {
    const cut = path.indexOf("/", start);
    const next = cut < 0 ? path.length : cut;
    parent = addRow(table, { parent, name: path.slice(start, next), mode: MODE.folder, size: 0 });
    table.folders.set(path.slice(0, next), parent);
    start = next + 1;
  }
  return parent;
}

/** Adds a file or link by its path. */
export function addAt(table: TreeTable, path: string, row: Pick<NewRow, "mode" | "size">): number {
  const cut = path.lastIndexOf("/");
  const parent = cut < 0 ? 0 : folderAt(table, path.slice(0, cut));
  return addRow(table, { parent, name: path.slice(cut + 1), ...row });
}

export function nameStart(table: TreeTable, row: number): number {
  return row === 0 ? 0 : table.nameEnds[row - 1]!;
}

export function nameOf(table: TreeTable, row: number): string {
  return table.names.toString("utf8", nameStart(table, row), table.nameEnds[row]);
}

export function isFolder(table: TreeTable, row: number): boolean {
  return table.modes[row]! <= MODE.emptyFolder;
}

/** Gives paths of rows; quick where rows of one folder follow each other. The root's is empty. */
export function pathReader(table: TreeTable): (row: number) => string {
  let lastFolder = 0;
  let lastPrefix = "";
  const pathOf = (row: number): string => {
    if (row === 0) return "";
    const parent = table.parents[row]!;
    if (parent !== lastFolder) {
      const path = pathOf(parent);
      lastPrefix = path === "" ? "" : `${path}/`;
      lastFolder = parent;
    }
    return lastPrefix + nameOf(table, row);
  };
  return pathOf;
}

export function setDigest({ digests }: TreeTable, row: number, digest: Digest): void {
  digests.write(digest, row * DIGEST_BYTES, "hex");
}

export function digestAt({ digests }: TreeTable, row: number): Digest {
  return digests.toString("hex", row * DIGEST_BYTES, (row + 1) * DIGEST_BYTES);
}

export function hasDigest({ digests }: TreeTable, row: number): boolean {
  for (let at = row * DIGEST_BYTES; at < (row + 1) * DIGEST_BYTES; at += 1)
    if (digests[at] !== 0) return true;
  return false;
}

/** Those of row `r` are `rows` from `starts[r]` to `starts[r + 1]`, in the order in which they were added. */
export interface Children {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/** What stands in each folder. A folder that nothing stands in, and that is not to be kept, is not told. */
export function childrenOf(table: TreeTable): Children {
  const { rows: count, parents, modes } = table;
  const stands = new Uint8Array(count);
  const starts = new Uint32Array(count + 1);
  for (let row = count - 1; row > 0; row -= 1) {
    if (modes[row] === MODE.folder && stands[row] === 0) continue;
    stands[row] = 1;
    stands[parents[row]!] = 1;
    starts[parents[row]!]! += 1;
  }
  let sum = 0;
  for (let row = 0; row <= count; row += 1) {
    sum += starts[row]!;
    starts[row] = sum;
  }
  // From the end of each range down, so that afterwards `starts` says where it begins.
  const rows = new Uint32Array(sum);
  for (let row = count - 1; row > 0; row -= 1) {
    if (stands[row] === 1) rows[--starts[parents[row]!]!] = row;
  }
  return { starts, rows };
}
