/**
 * writeListing: the bytes of a folded tree's listing (`listing.ts` says what they are).
 *
 * Measured first and written once into a buffer of that size. The path of a record is copied from
 * the record of its folder, which was written before it.
 */
import { invariant } from "../../kernel/errors.ts";
import { copyBytes, type FoldedTree } from "./fold-tree.ts";
import { LISTING_HEADER } from "./listing-record.ts";
import { digestAt, isFolder, nameStart, type TreeTable } from "./tree-table.ts";

export interface WrittenListing {
  readonly bytes: Buffer;
  /** Rows of all that is listed, in the listing's order. */
  readonly order: Uint32Array;
}

export function writeListing(table: TreeTable, folded: FoldedTree): WrittenListing {
  const order = listingOrder(table, folded);
  const pathBytes = pathLengths(table);
  const below = bytesBelow(table, order, pathBytes);
  const bytes = Buffer.allocUnsafe(LISTING_HEADER.length + below[0]!);
  /** Where the path of each folder begins. */
  const pathAt = new Uint32Array(table.rows);
  let at = bytes.write(LISTING_HEADER, 0, "latin1");
  for (const row of order) {
    const number = isFolder(table, row) ? below[row] : table.sizes[row];
    at += bytes.write(`${MODES[table.modes[row]!]} ${digestAt(table, row)} ${number}\t`, at, "latin1");
    pathAt[row] = at;
    const parent = table.parents[row]!;
    if (parent !== 0) {
      bytes.copyWithin(at, pathAt[parent]!, pathAt[parent]! + pathBytes[parent]!);
      at += pathBytes[parent]!;
      at = bytes.writeUInt8(SLASH, at);
    }
    at = copyBytes(table.names, nameStart(table, row), table.nameEnds[row]!, bytes, at);
    at = bytes.writeUInt8(0, at);
    const target = table.targets.get(row);
    if (target !== undefined) at += bytes.write(`${target}\0`, at, "utf8");
  }
  invariant(at === bytes.length, "a listing is as long as its records were measured to be");
  return { bytes, order };
}

const SLASH = 0x2f;

/** By `MODE`. */
const MODES = ["040000", "040000", "100644", "100755", "120000"];

// Mode, space, digest, space, tab and NUL: what a record takes beside its number and its path.
const RECORD_FRAME_BYTES = 6 + 1 + 64 + 1 + 1 + 1;

/** Depth first, each folder before what is in it. */
function listingOrder(table: TreeTable, { children }: FoldedTree): Uint32Array {
  const order = new Uint32Array(children.rows.length);
  let count = 0;
  const list = (folder: number) => {
    for (let at = children.starts[folder]!; at < children.starts[folder + 1]!; at += 1) {
      const row = children.rows[at]!;
      order[count] = row;
      count += 1;
      if (isFolder(table, row)) list(row);
    }
  };
  list(0);
  return order;
}

function pathLengths(table: TreeTable): Uint32Array {
  const lengths = new Uint32Array(table.rows);
  for (let row = 1; row < table.rows; row += 1) {
    const parent = table.parents[row]!;
    const prefix = parent === 0 ? 0 : lengths[parent]! + 1;
    lengths[row] = prefix + table.nameEnds[row]! - nameStart(table, row);
  }
  return lengths;
}

/** How many bytes of the listing lie below each folder, the root included. */
function bytesBelow(table: TreeTable, order: Uint32Array, pathBytes: Uint32Array): Float64Array {
  const below = new Float64Array(table.rows);
  for (let index = order.length - 1; index >= 0; index -= 1) {
    const row = order[index]!;
    const number = isFolder(table, row) ? below[row]! : table.sizes[row]!;
    const target = table.targets.get(row);
    const targetBytes = target === undefined ? 0 : Buffer.byteLength(target) + 1;
    below[table.parents[row]!]! +=
      RECORD_FRAME_BYTES + String(number).length + pathBytes[row]! + targetBytes + below[row]!;
  }
  return below;
}
