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
import { shownName } from "./entry-name.ts";
import { type Finding, finding } from "./finding.ts";
import type { PlannedEntry } from "./planned-entry.ts";

interface Seen {
  readonly path: string;
  readonly isFolder: boolean;
  readonly isEmptyFolder: boolean;
}

export function checkNames(entries: readonly PlannedEntry[]): Finding[] {
  const findings: Finding[] = [];
  /** By folded path; the parents of a path are folded as well. */
  const seen = new Map<string, Seen>();
  /** A folder is met once for each of its own folders, and named only once. */
  const named = new Set<string>();
  let lastFolder = "";
  for (const { path, kind } of entries) {
    const cut = path.lastIndexOf("/");
    const folder = cut < 0 ? "" : path.slice(0, cut);
    // Entries of one folder follow each other, so its parents are looked at once.
    if (folder !== lastFolder) {
      for (const parent of prefixesOf(folder)) register(parent, true, false);
      lastFolder = folder;
    }
    register(path, kind === "folder", kind === "folder");
  }
  return findings;

  function register(path: string, isFolder: boolean, isEmptyFolder: boolean): void {
    const folded = foldName(path);
    const other = seen.get(folded);
    if (other === undefined) seen.set(folded, { path, isFolder, isEmptyFolder });
    else if (!named.has(path)) report(path, other, isFolder, isEmptyFolder);
  }

  function report(path: string, other: Seen, isFolder: boolean, isEmptyFolder: boolean): void {
    const before = findings.length;
    if (other.path !== path) {
      if (sameParent(other.path, path)) findings.push(collision(other.path, path));
    } else if (isFolder !== other.isFolder) {
      findings.push(finding("path-collision", shownName(path), "it is a folder and something else at once"));
    } else if (!isFolder || (isEmptyFolder && other.isEmptyFolder)) {
      findings.push(finding("path-collision", shownName(path), "it stands twice"));
    }
    if (findings.length > before) named.add(path);
  }
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

/** `a/b/c` gives `a`, `a/b`, `a/b/c`; the empty path gives none. */
function prefixesOf(path: string): string[] {
  if (path === "") return [];
  const prefixes: string[] = [];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) prefixes.push(path.slice(0, at));
  return [...prefixes, path];
}

function sameParent(a: string, b: string): boolean {
  // Where the parents themselves collide, they have been named; their contents would only repeat it.
  return a.slice(0, a.lastIndexOf("/") + 1) === b.slice(0, b.lastIndexOf("/") + 1);
}

function collision(first: string, second: string): Finding {
  const [a, b] = [shownName(first), shownName(second)];
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
