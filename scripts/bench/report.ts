/** The whole result as Markdown: the machine, what was measured on, the table, and what to beware of. */
import type { MachineFacts } from "./machine-facts.ts";
import { cellsOf, type Row } from "./row.ts";

export interface Report {
  readonly facts: MachineFacts;
  /** What was measured on, in a sentence. */
  readonly measuredOn: string;
  readonly rounds: number;
  readonly reduced: boolean;
  readonly rows: readonly Row[];
}

const HEAD = ["operation", "against", "ours", "theirs", "ratio", "best runs", "target", "verdict"];

export function markdownOf({ facts, measuredOn, rounds, reduced, rows }: Report): string {
  const lines = [
    ...Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`),
    `- measured on: ${measuredOn}`,
    `- rounds: ${rounds}`,
    ...warnings(facts, reduced).map((warning) => `- **beware: ${warning}**`),
    "",
    lineOf(HEAD),
    lineOf(HEAD.map(() => "---")),
    ...rows.map((row) => lineOf(cellsOf(row))),
  ];
  return `${lines.join("\n")}\n`;
}

function warnings({ load }: MachineFacts, reduced: boolean): string[] {
  return [
    ...(load > 1 ? [`the load average was ${load} at the start; this machine had other work to do`] : []),
    ...(reduced ? ["a reduced run shows that everything is measured; its figures are no verdict"] : []),
  ];
}

const lineOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")).join(" | ")} |`;
