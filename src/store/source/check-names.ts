/**
 * Whether all paths of a plan can stand beside each other on every file system of ours.
 *
 * A file system may take two names for one: by case (macOS, by default) or by Unicode form
 * (macOS, always). Such a tree would lose a file where it is unpacked, so both names are refused.
 * The check is on the merged plan, since two layers may bring one name each.
 *
 *   name-collision   two names in one folder that fold to the same
 *   path-collision   a path that stands twice, or a file or link with something below it
 */
import { childrenOf, isFolder, nameOf, pathReader, type TreeTable } from "../identity/tree-table.ts";
import { shownName } from "./entry-name.ts";
import { type Finding, finding } from "./finding.ts";

/** Folder by folder: where two folders collide, what is in them is not compared, which would only repeat it. */
export function checkNames(tree: TreeTable): Finding[] {
  const findings: Finding[] = [];
  const { starts, rows } = childrenOf(tree);
  const pathOf = pathReader(tree);
  for (let folder = 0; folder < tree.rows; folder += 1) {
    /** By folded name, the first that has it. */
    const seen = new Map<string, number>();
    for (const row of rows.subarray(starts[folder], starts[folder + 1])) {
      const name = foldName(nameOf(tree, row));
      const other = seen.get(name);
      if (other === undefined) seen.set(name, row);
      else
        findings.push(collision(pathOf(other), pathOf(row), isFolder(tree, other) !== isFolder(tree, row)));
    }
  }
  return findings;
}

/** What two names must not have in common: equal for names that some file system takes for one. */
export function foldName(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  // Upper in between: several letters share one upper form that lower-casing alone keeps apart (ſ and
  // s). Lower before it: ẞ is its own upper form, and only ß becomes SS.
  return name.normalize("NFD").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins at NUL
const ASCII = /^[\u0000-\u007f]*$/;

function collision(first: string, second: string, differInKind: boolean): Finding {
  const [a, b] = [shownName(first), shownName(second)];
  if (first === second) {
    const detail = differInKind ? "it is a folder and something else at once" : "it stands twice";
    return finding("path-collision", a, detail);
  }
  const detail = first.normalize("NFC") === second.normalize("NFC") ? codePoints(first, second) : `and ${b}`;
  return finding("name-collision", a, detail);
}

/** Two Unicode forms of one name look the same, so their code points are shown. */
function codePoints(first: string, second: string): string {
  const name = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const points = (text: string) =>
    [...name(text)]
      .map((char) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`)
      .join(" ");
  return `and ${second}: ${points(first)} and ${points(second)}`;
}
