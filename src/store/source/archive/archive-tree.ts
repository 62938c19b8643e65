/**
 * The tree that an archive describes, checked as it grows: one top folder, every path once, nothing
 * below a file or a link, no two names that a file system could take for one, and no link that
 * leads out of it.
 *
 * Links are resolved here, over the names in the archive, and not on disk: the writer makes none
 * before every file is written, so no path can lead through one.
 */

import { foldName } from "../check-names.ts";
import type { ArchiveBounds } from "./archive-bounds.ts";
import type { ArchiveFindings } from "./archive-findings.ts";
import { linkTargetFault, splitEntryPath } from "./entry-path.ts";
import { resolveLink } from "./resolve-link.ts";
import type { ArchiveEntry } from "./tar-guard.ts";

export interface ArchiveTree {
  /** The entry's path below the top folder (empty for that itself), or null where it was refused. */
  add(entry: ArchiveEntry): string | null;
  /** Checks what only the whole tree shows. */
  end(): { readonly root: string; readonly links: ReadonlyMap<string, string> };
}

/** `passed` is a folder that so far only stood in other paths. */
type Node = "file" | "link" | "folder" | "passed";

interface Tree {
  readonly bounds: ArchiveBounds;
  readonly findings: ArchiveFindings;
  readonly nodes: Map<string, Node>;
  readonly links: Map<string, string>;
  /** One spelling for each path that file systems may not tell apart. */
  readonly spellings: Map<string, string>;
  root: string | null;
}

export function createArchiveTree(bounds: ArchiveBounds, findings: ArchiveFindings): ArchiveTree {
  const tree: Tree = {
    bounds,
    findings,
    nodes: new Map([["", "passed"]]),
    links: new Map(),
    spellings: new Map(),
    root: null,
  };
  return { add: (entry) => addEntry(tree, entry), end: () => endTree(tree) };
}

function addEntry(tree: Tree, entry: ArchiveEntry): string | null {
  const { bounds, findings } = tree;
  const parts = splitEntryPath(entry.path, bounds);
  if ("kind" in parts) {
    findings.add(parts.kind, entry.path, parts.detail);
    return null;
  }
  const [top, ...below] = parts;
  if (top === undefined) return null;
  tree.root ??= top;
  if (top !== tree.root) {
    findings.add("archive-root", entry.path, `the first entry is in ${tree.root}`);
    return null;
  }
  if (below.length === 0 && entry.kind !== "folder") {
    findings.add("archive-root", entry.path, "an entry stands beside the top folder");
    return null;
  }
  return place(tree, below, entry);
}

function place(tree: Tree, parts: readonly string[], entry: ArchiveEntry): string | null {
  const { bounds, findings, nodes, links } = tree;
  const path = parts.join("/");
  if (Buffer.byteLength(path) > bounds.pathBytes) {
    findings.add("too-deep", entry.path, "the path is too long");
    return null;
  }
  if (!passThrough(tree, parts)) return null;
  const known = nodes.get(path);
  if (known !== undefined && !(known === "passed" && entry.kind === "folder")) {
    findings.add("archive-duplicate", entry.path);
    return null;
  }
  if (known === undefined) register(tree, path, entry.kind === "refused" ? "file" : entry.kind);
  else nodes.set(path, "folder");
  if (entry.kind === "link") {
    const fault = linkTargetFault(entry.target, bounds);
    if (fault !== null) findings.add(fault.kind, entry.path, fault.detail);
    links.set(path, entry.target);
  }
  return path;
}

/** Makes sure that everything above is a folder; false if something else stands there. */
function passThrough(tree: Tree, parts: readonly string[]): boolean {
  const { findings, nodes } = tree;
  const parent = nodes.get(parts.slice(0, -1).join("/"));
  if (parent === "folder" || parent === "passed") return true;
  for (let count = 1; count < parts.length; count++) {
    const above = parts.slice(0, count).join("/");
    const node = nodes.get(above);
    if (node === undefined) register(tree, above, "passed");
    else if (node === "file" || node === "link") {
      findings.add("archive-below", shown(tree, parts.join("/")), `${shown(tree, above)} is a ${node}`);
      return false;
    }
  }
  return true;
}

function register(tree: Tree, path: string, node: Node): void {
  const { bounds, findings, nodes, spellings } = tree;
  if (nodes.size > bounds.entries) {
    findings.fail("too-many-entries", shown(tree, path), `more than ${bounds.entries}`);
  }
  nodes.set(path, node);
  const key = foldName(path);
  const other = spellings.get(key);
  if (other === undefined) spellings.set(key, path);
  else if (other !== path) findings.add("name-collision", shown(tree, path), `and ${shown(tree, other)}`);
}

function endTree(tree: Tree): { readonly root: string; readonly links: ReadonlyMap<string, string> } {
  const { bounds, findings, links, root } = tree;
  if (root === null) {
    findings.throwIfAny();
    return findings.fail("archive-corrupt", "", "it holds nothing");
  }
  const folded = new Map([...links].map(([path, target]) => [foldName(path), target]));
  const budget = { steps: bounds.linkSteps };
  for (const [path, target] of links) {
    // Named already; a link that leads through it is a leaving one.
    if (target.startsWith("/")) continue;
    const outcome = resolveLink(path, folded, budget);
    if (outcome === "leaves") findings.add("leaving-link", shown(tree, path), target);
    if (outcome === "loop") findings.add("link-loop", shown(tree, path), target);
    if (outcome === "too-far") {
      findings.fail("too-many-entries", shown(tree, path), "links lead through too many parts");
    }
  }
  return { root, links };
}

/** As the archive has it. */
function shown({ root }: Tree, path: string): string {
  return `${root}/${path}`;
}
