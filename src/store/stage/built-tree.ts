/** What came of building a tree: all that publication needs to know of it. */
import { createBytesIndex } from "../columns.ts";
import type { Listing } from "../identity/listing.ts";
import type { Digest } from "../identity/object-id.ts";
import { DIGEST_BYTES, digestAt, MODE, pathReader, type TreeTable } from "../identity/tree-table.ts";
import type { ContentOrigin } from "./share-content.ts";

export interface BuiltTree {
  readonly outcome: "built";
  readonly listing: Listing;
  /** The inode of each file, in the listing's order; links are left out. */
  readonly inodes: ArrayLike<number>;
  /** A file for each content that the store did not have yet. */
  readonly fresh: FreshContents;
  /** What the store had already, empty files included. */
  readonly reused: { readonly files: number; readonly bytes: number };
  /** How many files came by which method. */
  readonly methods: Readonly<Partial<Record<ContentOrigin, number>>>;
}

export interface FreshContents {
  readonly length: number;
  at(index: number): FreshContent | undefined;
}

export interface FreshContent {
  readonly path: string;
  readonly digest: Digest;
  readonly size: number;
  readonly executable: boolean;
}

/** The first of the rows `fresh` that has its content; with and without the right to execute are two. */
export function freshContentsOf(tree: TreeTable, fresh: readonly number[]): FreshContents {
  const index = () =>
    createBytesIndex({ column: tree.digests, stride: DIGEST_BYTES, width: DIGEST_BYTES, rows: fresh.length });
  const seen = { plain: index(), executable: index() };
  const rows = fresh.filter((row) => {
    const known = tree.modes[row] === MODE.executable ? seen.executable : seen.plain;
    return known.add(row) === row;
  });
  const pathOf = pathReader(tree);
  return {
    length: rows.length,
    at(position) {
      const row = rows[position];
      if (row === undefined) return undefined;
      const executable = tree.modes[row] === MODE.executable;
      return { path: pathOf(row), digest: digestAt(tree, row), size: tree.sizes[row]!, executable };
    },
  };
}
