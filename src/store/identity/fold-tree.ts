/**
 * foldTree: gives every folder of a tree its digest, the root's being the id.
 *
 * One pass over the rows from the last to the first: what is in a folder comes after it, so its
 * digests are there when the folder's turn comes. Names are compared and copied as bytes.
 */
import { createHash } from "node:crypto";
import { invariant } from "../../kernel/errors.ts";
import { withRoom } from "../columns.ts";
import type { GenerationId } from "./object-id.ts";
import {
  type Children,
  childrenOf,
  DIGEST_BYTES,
  digestAt,
  isFolder,
  MODE,
  nameStart,
  type TreeTable,
} from "./tree-table.ts";

export interface FoldedTree {
  readonly id: GenerationId;
  /** Files and links. */
  readonly files: number;
  /** The sum of the files' sizes in bytes. */
  readonly sizeBytes: number;
  /** In Git's order. */
  readonly children: Children;
}

export function foldTree(table: TreeTable): FoldedTree {
  const children = childrenOf(table);
  const digest = folderDigester(table);
  const compare = comparer(table);
  let files = 0;
  let sizeBytes = 0;
  for (let row = table.rows - 1; row >= 0; row -= 1) {
    if (isFolder(table, row)) {
      const inside = children.rows.subarray(children.starts[row], children.starts[row + 1]);
      // A plain array's sort is done at once with what is in order, as it is after a walk.
      if (inside.length > 1) inside.set(Array.from(inside).sort(compare));
      digest(row, inside);
    } else {
      files += 1;
      if (table.modes[row] !== MODE.link) sizeBytes += table.sizes[row]!;
    }
  }
  return { id: digestAt(table, 0), files, sizeBytes, children };
}

/** Git's order: by name as bytes, folders as if their names ended in "/". */
function comparer(table: TreeTable): (a: number, b: number) => number {
  const { names, nameEnds } = table;
  const end = (row: number) => (isFolder(table, row) ? SLASH : NAME_END);
  return (a, b) => {
    let [atA, atB] = [nameStart(table, a), nameStart(table, b)];
    const [endA, endB] = [nameEnds[a]!, nameEnds[b]!];
    while (atA < endA && atB < endB && names[atA] === names[atB]) {
      atA += 1;
      atB += 1;
    }
    const order = (atA < endA ? names[atA]! : end(a)) - (atB < endB ? names[atB]! : end(b));
    invariant(order !== 0, "no name stands twice in a folder");
    return order;
  };
}

const SLASH = 0x2f;
// Below every byte of a name.
const NAME_END = -1;

/** "tree 1234567890" and NUL, at most. */
const HEADER_ROOM = 32;

const FOLDER_MODE = Buffer.from("40000 ");
const MODES = {
  [MODE.folder]: FOLDER_MODE,
  [MODE.emptyFolder]: FOLDER_MODE,
  [MODE.file]: Buffer.from("100644 "),
  [MODE.executable]: Buffer.from("100755 "),
  [MODE.link]: Buffer.from("120000 "),
} as const;

/** Writes one folder after the other in the same bytes, as Git's tree object, and digests it. */
function folderDigester(table: TreeTable): (folder: number, inside: Uint32Array) => void {
  let object = Buffer.alloc(0);
  return (folder, inside) => {
    const { names, nameEnds, digests, modes } = table;
    let at = HEADER_ROOM;
    for (const row of inside) {
      const start = nameStart(table, row);
      const mode = MODES[modes[row] as keyof typeof MODES];
      object = withRoom(object, at + mode.length + nameEnds[row]! - start + 1 + DIGEST_BYTES);
      at = copyBytes(mode, 0, mode.length, object, at);
      at = copyBytes(names, start, nameEnds[row]!, object, at);
      object[at] = 0;
      at = copyBytes(digests, row * DIGEST_BYTES, (row + 1) * DIGEST_BYTES, object, at + 1);
    }
    object = withRoom(object, at);
    const header = `tree ${at - HEADER_ROOM}\0`;
    object.write(header, HEADER_ROOM - header.length, "latin1");
    const whole = object.subarray(HEADER_ROOM - header.length, at);
    createHash("sha256")
      .update(whole)
      .digest()
      .copy(digests, folder * DIGEST_BYTES);
  };
}

/** Copies some bytes, too few for a call out of JavaScript to be worth it; where the copy ends. */
export function copyBytes(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  for (let index = start; index < end; index += 1) to[at + index - start] = from[index]!;
  return at + end - start;
}
