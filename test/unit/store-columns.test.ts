/** Columns and what is built of them, each case by hand. */

import { type BigIntStats, lstatSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createBytesIndex, withRoom } from "../../src/store/columns.ts";
import { addAt, childrenOf, folderAt, nameOf, pathReader } from "../../src/store/identity/tree-table.ts";
import { appendPlan, createPlan, fileMode, setOrigin, sourcePath } from "../../src/store/source/plan.ts";
import { statKey } from "../../src/store/source/stat-key.ts";
import { hasStatKey, setStatKey, statKeyAt } from "../../src/store/source/stat-keys.ts";
import { planOf } from "../fixtures/plan-of.ts";

describe("a column", () => {
  test("keeps what it held when it grows, and is the same one while it need not", () => {
    const column = Uint32Array.of(1, 2, 3);
    expect(withRoom(column, 3)).toBe(column);
    const larger = withRoom(column, 4);
    expect(larger.length).toBeGreaterThanOrEqual(6);
    expect([...larger.subarray(0, 6)]).toEqual([1, 2, 3, 0, 0, 0]);
    expect(Buffer.isBuffer(withRoom(Buffer.alloc(0), 1))).toBe(true);
  });
});

describe("an index of bytes", () => {
  const rows = ["aaaa-1", "aaaa-2", "bbbb-1", "aaaa-1"];
  const column = Buffer.from(rows.map((row) => `${row}..`).join(""));
  const index = () => createBytesIndex({ column, stride: 8, width: 6, rows: rows.length });

  test("tells rows with one hash apart, and finds the first of equal ones", () => {
    const filled = index();
    expect(rows.map((_, row) => filled.add(row))).toEqual([0, 1, 2, 0]);
    expect(["aaaa-1", "aaaa-2", "bbbb-1"].map((bytes) => filled.find(Buffer.from(bytes)))).toEqual([0, 1, 2]);
  });

  test("finds nothing that was not added", () => {
    const filled = index();
    filled.add(1);
    expect(["aaaa-1", "aaaa-3", "cccc-1"].map((bytes) => filled.find(Buffer.from(bytes)))).toEqual([
      -1, -1, -1,
    ]);
    expect(createBytesIndex({ column, stride: 8, width: 6, rows: 0 }).find(Buffer.from("aaaa-1"))).toBe(-1);
  });
});

describe("a tree as columns", () => {
  const file = (path: string) =>
    ({ kind: "bytes", path, executable: false, bytes: Buffer.from(path) }) as const;

  test("gives paths in whatever order rows are asked for", () => {
    const { tree } = planOf([file("a/b/c"), file("d"), file("a/é/e"), file("a/b/f")]);
    const pathOf = pathReader(tree);
    const paths = Array.from({ length: tree.rows }, (_, row) => pathOf(row));
    expect(paths).toEqual(["", "a", "a/b", "a/b/c", "d", "a/é", "a/é/e", "a/b/f"]);
    expect(Array.from({ length: tree.rows }, (_, row) => pathOf(tree.rows - 1 - row))).toEqual(
      paths.reverse(),
    );
  });

  test("a folder that nothing stands in is in no folder, unless it is kept", () => {
    const { tree } = planOf([{ kind: "folder", path: "kept/inner" }, file("full/x")]);
    folderAt(tree, "passed/through");
    const { starts, rows } = childrenOf(tree);
    const inside = (row: number) =>
      [...rows.subarray(starts[row], starts[row + 1])].map((one) => nameOf(tree, one));
    expect(Array.from({ length: tree.rows }, (_, row) => inside(row))).toEqual([
      ["kept", "full"],
      ["inner"],
      [],
      ["x"],
      [],
      [],
      [],
    ]);
  });
});

describe("a plan", () => {
  const stats = lstatSync(import.meta.filename, { bigint: true });

  test("appended to another keeps contents, links, origins and keys, and shares folders", () => {
    const plan = planOf([{ kind: "bytes", path: "bin/a", executable: true, bytes: Buffer.from("a") }]);
    const other = planOf([
      { kind: "link", path: "bin/b", target: "a" },
      { kind: "blob", path: "lib/c", executable: false, digest: "c".repeat(64), size: 7 },
      { kind: "bytes", path: "lib/d", executable: true, bytes: Buffer.from("d") },
      { kind: "folder", path: "empty" },
    ]);
    const row = addAt(other.tree, "lib/e", { mode: fileMode(false), size: 5 });
    setOrigin(other, row, "/source/", stats);
    const before = [...other];
    appendPlan(plan, other);
    expect([...plan].slice(1)).toEqual(before);
    expect(before.at(-1)).toEqual({
      kind: "file",
      path: "lib/e",
      executable: false,
      from: "/source/lib/e",
      size: 5,
    });
    expect(statKeyAt(plan.statKeys, plan.tree.rows - 1)).toBe(statKey(stats));
  });

  test("says where rows come from, the roots of all folders included", () => {
    const from = (origin: string, path: string) => {
      const plan = createPlan();
      const row = path === "" ? 0 : addAt(plan.tree, path, { mode: fileMode(false), size: 0 });
      setOrigin(plan, row, origin, stats);
      return sourcePath(plan, row, path);
    };
    expect([
      from("/s/", "a/b"),
      from("/s/", ""),
      from("/", "a"),
      from("/", ""),
      from("/opt/node", "bin/node"),
    ]).toEqual(["/s/a/b", "/s", "/a", "/", "/opt/node"]);
  });
});

describe("a stat key in a column", () => {
  const early = {
    dev: 1n,
    ino: 2n ** 64n - 1n,
    size: 3n,
    mtimeNs: -5n,
    ctimeNs: 6n,
    mode: 0o100644n,
  } as BigIntStats;

  test("is written as a single one is, times before 1970 included", () => {
    const keys = new BigUint64Array(12);
    setStatKey(keys, 1, early);
    expect(statKeyAt(keys, 1)).toBe("1:18446744073709551615:3:-5:6:33188");
    expect(statKey(early)).toBe(statKeyAt(keys, 1));
  });

  test.each(["dev", "ino", "size", "mtimeNs", "ctimeNs", "mode"] as const)("differs by %s", (word) => {
    const keys = new BigUint64Array(12);
    setStatKey(keys, 1, early);
    expect(hasStatKey(keys, 1, early)).toBe(true);
    expect(hasStatKey(keys, 1, { ...early, [word]: 99n })).toBe(false);
  });
});
