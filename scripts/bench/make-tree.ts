/**
 * makeTree: a tree of real files without a network, from copies of an installed `node_modules`.
 *
 * Every copy after the first has a sequence of its own appended to each file that is not empty:
 * equal copies would be shared by us and not by others, and the comparison would be worth nothing.
 * Links and executables are kept. Large programs (over 8 MiB) are taken once at most: six copies of
 * one interpreter would make it a measurement of large files.
 */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export interface TreeRequest {
  readonly from: string;
  readonly to: string;
  readonly files: number;
  readonly largeFiles: boolean;
}

export interface TreeCounts {
  readonly files: number;
  readonly links: number;
  readonly executables: number;
  readonly bytes: number;
}

const LARGE_BYTES = 8 * 1024 * 1024;
const CHANGEABLE_BYTES = 64 * 1024;

export function makeTree({ from, to, files, largeFiles }: TreeRequest): void {
  const found = pathsBelow(from);
  const sizes = new Map(found.files.map((path) => [path, statSync(join(from, path)).size]));
  let made = 0;
  for (let copy = 0; made < files; copy += 1) {
    const before = made;
    const folder = join(to, `copy-${copy}`);
    for (const path of found.files) {
      const size = sizes.get(path) as number;
      if (made === files) break;
      if (size > LARGE_BYTES && !(largeFiles && copy === 0)) continue;
      copyOne(join(from, path), join(folder, path), size > 0 && copy > 0 ? `\ncopy ${copy}\n` : "");
      made += 1;
    }
    if (made === before) throw new Error(`${from} holds no files to make a tree of`);
    for (const path of found.links) linkOne(join(from, path), join(folder, path), folder);
  }
}

function copyOne(from: string, to: string, suffix: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  const { mode } = statSync(from);
  chmodSync(to, (mode & 0o777) | 0o600);
  if (suffix !== "") appendFileSync(to, suffix);
}

/** Only what leads to a file that was taken, inside of the copy. */
function linkOne(from: string, to: string, within: string): void {
  const target = readlinkSync(from);
  const led = resolve(dirname(to), target);
  if (relative(within, led).startsWith("..") || !existsSync(led)) return;
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(target, to);
}

export function countTree(tree: string): TreeCounts {
  const { files, links } = pathsBelow(tree);
  const stats = files.map((path) => statSync(join(tree, path)));
  return {
    files: files.length,
    links: links.length,
    executables: stats.filter(({ mode }) => (mode & 0o100) !== 0).length,
    bytes: stats.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Three small files, far from each other, to be changed. */
export function changeableFiles(tree: string): readonly string[] {
  const small = pathsBelow(tree)
    .files.map((path) => join(tree, path))
    .filter((path) => {
      const { size } = statSync(path);
      return size > 0 && size < CHANGEABLE_BYTES;
    });
  const chosen = [0.25, 0.5, 0.75].map((part) => small[Math.floor(small.length * part)]);
  return [...new Set(chosen)].filter((path) => path !== undefined);
}

export function changeFiles(files: readonly string[], change: string): void {
  for (const file of files) {
    // A tree that was copied from elsewhere may hold files without the right to write.
    chmodSync(file, statSync(file).mode | 0o200);
    appendFileSync(file, `\n${change}\n`);
  }
}

interface Paths {
  readonly files: string[];
  readonly links: string[];
}

/** Sorted, so that the same source gives the same tree. */
function pathsBelow(root: string, folder = "", found: Paths = { files: [], links: [] }): Paths {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) pathsBelow(root, path, found);
    else if (entry.isSymbolicLink()) found.links.push(path);
    else if (entry.isFile()) found.files.push(path);
  }
  return found;
}
