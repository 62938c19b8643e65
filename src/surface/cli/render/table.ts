/** Calm columns: a header line, two spaces between, no rules; numbers to the right. */
import { cleanText } from "./clean-text.ts";
import type { Style } from "./style.ts";

export interface Column<Row> {
  readonly title: string;
  readonly align?: "left" | "right";
  readonly value: (row: Row) => string;
  readonly paint?: (text: string, row: Row) => string;
}

/** Ends without a newline. Values are cleaned here, before their width is taken. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], style: Style): string {
  const cells = rows.map((row) => columns.map((column) => cleanText(column.value(row))));
  const widths = columns.map((column, at) =>
    // Not Math.max(...): a tree has more files than a call may have arguments.
    cells.reduce((width, line) => Math.max(width, line[at]?.length ?? 0), column.title.length),
  );
  const pad = (text: string, at: number) =>
    columns[at]?.align === "right"
      ? text.padStart(widths[at] ?? 0)
      : at === columns.length - 1
        ? text
        : text.padEnd(widths[at] ?? 0);
  const header = style.dim(
    columns
      .map(({ title }, at) => pad(title, at))
      .join("  ")
      .trimEnd(),
  );
  const lines = rows.map((row, index) =>
    columns
      .map(({ paint }, at) => {
        const text = pad(cells[index]?.[at] ?? "", at);
        return paint === undefined ? text : paint(text, row);
      })
      .join("  ")
      .trimEnd(),
  );
  return [header, ...lines].join("\n");
}

/** `label  value` lines with the values under each other. */
export function facts(pairs: readonly (readonly [label: string, value: string])[], style: Style): string {
  const width = Math.max(...pairs.map(([label]) => label.length));
  return pairs.map(([label, value]) => `${style.dim(label.padEnd(width))}  ${cleanText(value)}`).join("\n");
}
