/** The benchmark's arithmetic and its verdicts; what it measures is shown by running it. */
import { describe, expect, it } from "vitest";
import { createBench } from "../../scripts/bench/bench.ts";
import { compare } from "../../scripts/bench/compare.ts";
import type { MachineFacts } from "../../scripts/bench/machine-facts.ts";
import { markdownOf } from "../../scripts/bench/report.ts";
import { type Compared, cellsOf, type Row, verdictOf } from "../../scripts/bench/row.ts";
import { median, pairedRatio, quantile } from "../../scripts/bench/statistics.ts";

const compared = (more: Partial<Compared>): Row => ({
  kind: "compared",
  operation: "stage",
  against: "cp -a",
  oursMs: [300, 100, 200],
  theirsMs: [100, 100, 100],
  atMost: 2,
  ...more,
});

describe("statistics", () => {
  it("the median is the middle one, or lies between the two in the middle", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 1, 2, 4])).toBe(3);
  });

  it("a quantile lies between its neighbours by proportion", () => {
    expect(quantile([40, 10, 30, 20, 50], 0.9)).toBeCloseTo(46, 9);
    expect(quantile([7], 0.99)).toBe(7);
  });

  it("a ratio is taken pair by pair, so that a machine that slows down does not show", () => {
    expect(pairedRatio([10, 20, 400], [20, 40, 800])).toBe(0.5);
    expect(median([10, 20, 400]) / median([20, 30, 40])).not.toBe(0.5);
  });

  it("nothing, and pairs of which one side did not run, are refused", () => {
    expect(() => median([])).toThrow("nothing");
    expect(() => pairedRatio([1, 2], [1])).toThrow("both sides");
  });
});

describe("verdicts", () => {
  it("a target is met where it is reached exactly, and missed above", () => {
    expect(verdictOf(compared({ atMost: 2 }))).toBe("met");
    expect(verdictOf(compared({ atMost: 1.99 }))).toBe("missed");
    const memory = { kind: "absolute", operation: "memory", unit: "MB", value: 180 } as const;
    expect(verdictOf({ ...memory, atMost: 180 })).toBe("met");
    expect(verdictOf({ ...memory, atMost: 179 })).toBe("missed");
  });

  it("what has no target, was not measured or failed is never met", () => {
    expect(verdictOf(compared({ atMost: null }))).toBe("no target");
    expect(verdictOf({ kind: "not-measured", operation: "a", against: "b", why: "c" })).toBe("not measured");
    expect(verdictOf({ kind: "failed", operation: "a", why: "b" })).toBe("failed");
  });

  it("a row shows medians, the paired ratio, and that of the best runs", () => {
    expect(cellsOf(compared({ note: "warm" }))).toEqual([
      "stage",
      "cp -a",
      "200 ms",
      "100 ms",
      "2.00 ×",
      "1.00 ×",
      "≤ 2 ×",
      "met (warm)",
    ]);
  });
});

describe("turns", () => {
  const bench = (minutes: number) =>
    createBench({ folder: "/none", tree: "/none", rounds: 3, reduced: false, minutes, say() {} });
  const sidesOf = (order: string[]) => ({
    operation: "act",
    writes: false,
    ours(round: number) {
      order.push(`ours ${round}`);
      return 2;
    },
    others: [
      {
        against: "theirs",
        run(round: number) {
          order.push(`theirs ${round}`);
          return 4;
        },
        atMost: 1,
      },
      { against: "absent", run: { missing: "not installed" }, atMost: 1 },
    ],
  });

  it("sides run in turn, every second round the other way about, and who is absent keeps a row", () => {
    const order: string[] = [];
    expect(compare(bench(1), sidesOf(order))).toEqual([
      {
        kind: "compared",
        operation: "act",
        against: "theirs",
        oursMs: [2, 2, 2],
        theirsMs: [4, 4, 4],
        atMost: 1,
      },
      { kind: "not-measured", operation: "act", against: "absent", why: "not installed" },
    ]);
    expect(order).toEqual(["ours 0", "theirs 0", "theirs 1", "ours 1", "ours 2", "theirs 2"]);
  });

  it("one round is run though the time is over, and the row says that it is one", () => {
    expect(compare(bench(0), sidesOf([]))[0]).toMatchObject({
      oursMs: [2],
      theirsMs: [4],
      note: "only 1 of 3 rounds: out of time",
    });
  });
});

describe("the report", () => {
  const facts: MachineFacts = {
    cores: "2",
    memory: "4 GiB",
    kernel: "Linux 6",
    "file system": "ext4",
    user: "root",
    node: "v24",
    nix: "missing",
    load: 0.5,
  };
  const report = { facts, measuredOn: "ten files", rounds: 3, reduced: false };

  it("keeps a row that was not measured or failed, with its reason, in one line", () => {
    const text = markdownOf({
      ...report,
      rows: [
        { kind: "not-measured", operation: "first stage", against: "nix", why: "nix is not installed" },
        { kind: "failed", operation: "checks", why: "exit code 1:\na | b" },
      ],
    });
    expect(text).toContain("| first stage | nix |  |  |  |  |  | not measured: nix is not installed |\n");
    expect(text).toContain("| checks |  |  |  |  |  |  | FAILED: exit code 1: a \\| b |\n");
  });

  it("warns of a busy machine and of a reduced run, and of nothing else", () => {
    expect(markdownOf({ ...report, rows: [] })).not.toContain("beware");
    const busy = { ...facts, load: 1.01 };
    expect(markdownOf({ ...report, facts: busy, rows: [] }).match(/beware/g)).toHaveLength(1);
    expect(markdownOf({ ...report, facts: busy, reduced: true, rows: [] }).match(/beware/g)).toHaveLength(2);
  });
});
