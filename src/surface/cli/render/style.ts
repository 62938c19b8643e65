/** Colour, where a terminal wants it; else the same text without. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

/** https://no-color.org: any non-empty NO_COLOR turns colour off. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  return isTerminal && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
}

export function createStyle(coloured: boolean): Style {
  const paint = (on: number, off: number) => (text: string) =>
    coloured ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  };
}
