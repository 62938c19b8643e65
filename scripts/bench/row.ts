/**
 * One line of the result: what was measured, against what, and what it should be at most.
 *
 * A row that could not be measured is a row as well, with its reason; none is ever left out.
 */
import { median, pairedRatio } from "./statistics.ts";

export type Row = Compared | Absolute | NotMeasured | Failed;

/** Ours and theirs ran in turn; the target is a ratio. Times are in milliseconds. */
export interface Compared {
  readonly kind: "compared";
  readonly operation: string;
  readonly against: string;
  readonly oursMs: readonly number[];
  readonly theirsMs: readonly number[];
  /** Null where the comparison is for information. */
  readonly atMost: number | null;
  readonly note?: string;
}

/** A figure that is judged by itself. */
export interface Absolute {
  readonly kind: "absolute";
  readonly operation: string;
  readonly unit: "ms" | "%" | "MB" | "×";
  readonly value: number;
  readonly atMost: number | null;
  readonly note?: string;
}

export interface NotMeasured {
  readonly kind: "not-measured";
  readonly operation: string;
  readonly against: string;
  readonly why: string;
}

/** The measurement itself went wrong; the only kind that makes the program fail. */
export interface Failed {
  readonly kind: "failed";
  readonly operation: string;
  readonly why: string;
}

export type Verdict = "met" | "missed" | "no target" | "not measured" | "failed";

export function verdictOf(row: Row): Verdict {
  if (row.kind === "failed") return "failed";
  if (row.kind === "not-measured") return "not measured";
  if (row.atMost === null) return "no target";
  const value = row.kind === "compared" ? pairedRatio(row.oursMs, row.theirsMs) : row.value;
  return value <= row.atMost ? "met" : "missed";
}

/** The table's cells: operation, against, ours, theirs, ratio, best runs' ratio, target, verdict. */
export function cellsOf(row: Row): readonly string[] {
  const verdict = verdictOf(row);
  if (row.kind === "failed") return [row.operation, "", "", "", "", "", "", `FAILED: ${row.why}`];
  if (row.kind === "not-measured") {
    return [row.operation, row.against, "", "", "", "", "", `not measured: ${row.why}`];
  }
  const last = row.note === undefined ? verdict : `${verdict} (${row.note})`;
  if (row.kind === "absolute") {
    const target = row.atMost === null ? "" : `≤ ${row.atMost} ${row.unit}`;
    return [row.operation, "", `${digits(row.value)} ${row.unit}`, "", "", "", target, last];
  }
  const { oursMs, theirsMs, atMost } = row;
  return [
    row.operation,
    row.against,
    `${digits(median(oursMs))} ms`,
    `${digits(median(theirsMs))} ms`,
    `${pairedRatio(oursMs, theirsMs).toFixed(2)} ×`,
    `${(Math.min(...oursMs) / Math.min(...theirsMs)).toFixed(2)} ×`,
    atMost === null ? "" : `≤ ${atMost} ×`,
    last,
  ];
}

/** Three figures that count, for values of any size. */
function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
