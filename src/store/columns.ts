/**
 * Columns: a typed array for each property, an index for each row. A hundred thousand rows cost
 * their bytes, no objects that the collector has to visit, and no room that it leaves itself.
 */

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array | BigUint64Array;

/** The column itself while it holds `length`; else one at least twice as long, with zeros in what is new. */
export function withRoom<C extends Column>(column: C, length: number): C {
  if (column.length >= length) return column;
  const room = Math.max(length, 2 * column.length, LEAST_ROOM);
  const larger = column instanceof Buffer ? Buffer.alloc(room) : new (constructorOf(column))(room);
  // Of the same type as `column`, which the compiler cannot follow.
  (larger as Uint8Array).set(column as Uint8Array);
  return larger as C;
}

const LEAST_ROOM = 64;

function constructorOf(column: Column): new (length: number) => Column {
  return column.constructor as new (
    length: number,
  ) => Column;
}

export interface BytesIndex {
  /** The row added before that holds the same bytes as this one, else this one, which is added. */
  add(row: number): number;
  /** The row whose bytes are those of `bytes`; -1 if none is. */
  find(bytes: Buffer): number;
}

export interface BytesIndexRequest {
  readonly column: Buffer;
  /** Bytes from one row to the next. */
  readonly stride: number;
  /** How many of them are compared. The first four must differ well: they are the hash. */
  readonly width: number;
  /** The most rows that are ever added. */
  readonly rows: number;
}

/** Finds rows by their bytes: a hash table of row numbers alone, at most half full. */
export function createBytesIndex({ column, stride, width, rows }: BytesIndexRequest): BytesIndex {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * rows + 2)));
  /** The slot of the row with these bytes, or the free one where it belongs; a slot holds row + 1. */
  const slotOf = (bytes: Buffer, start: number): number => {
    let slot = bytes.readUInt32LE(start) & (slots.length - 1);
    for (;;) {
      const at = (slots[slot]! - 1) * stride;
      if (at < 0 || bytes.compare(column, at, at + width, start, start + width) === 0) return slot;
      slot = (slot + 1) & (slots.length - 1);
    }
  };
  return {
    add(row) {
      const slot = slotOf(column, row * stride);
      if (slots[slot] === 0) slots[slot] = row + 1;
      return slots[slot]! - 1;
    },
    find: (bytes) => slots[slotOf(bytes, 0)]! - 1,
  };
}
