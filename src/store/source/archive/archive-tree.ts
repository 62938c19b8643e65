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

export function createArchiveTree(bounds: ArchiveBounds, findings: ArchiveFindings): ArchiveTree {
  const nodes = new Map<string, Node>([["", "passed"]]);
  const links = new Map<string, string>();
  // One spelling for each path that file systems may not tell apart.
  const spellings = new Map<string, string>();
  let root: string | null = null;
  /** As the archive has it. */
  const shown = (path: string): string => `${root}/${path}`;

  const register = (path: string, node: Node): void => {
    if (nodes.size > bounds.entries)
      findings.fail("too-many-entries", shown(path), `more than ${bounds.entries}`);
    nodes.set(path, node);
    const key = foldName(path);
    const other = spellings.get(key);
    if (other === undefined) spellings.set(key, path);
    else if (other !== path) findings.add("name-collision", shown(path), `and ${shown(other)}`);
  };

  /** Makes sure that everything above is a folder; false if something else stands there. */
  const passThrough = (parts: readonly string[]): boolean => {
    const parent = nodes.get(parts.slice(0, -1).join("/"));
    if (parent === "folder" || parent === "passed") return true;
    for (let count = 1; count < parts.length; count++) {
      const above = parts.slice(0, count).join("/");
      const node = nodes.get(above);
      if (node === undefined) register(above, "passed");
      else if (node === "file" || node === "link") {
        findings.add("archive-below", shown(parts.join("/")), `${shown(above)} is a ${node}`);
        return false;
      }
    }
    return true;
  };

  const place = (parts: readonly string[], entry: ArchiveEntry): string | null => {
    const path = parts.join("/");
    if (Buffer.byteLength(path) > bounds.pathBytes) {
      findings.add("too-deep", entry.path, "the path is too long");
      return null;
    }
    if (!passThrough(parts)) return null;
    const known = nodes.get(path);
    if (known !== undefined && !(known === "passed" && entry.kind === "folder")) {
      findings.add("archive-duplicate", entry.path);
      return null;
    }
    if (known === undefined) register(path, entry.kind === "refused" ? "file" : entry.kind);
    else nodes.set(path, "folder");
    if (entry.kind === "link") {
      const fault = linkTargetFault(entry.target, bounds);
      if (fault !== null) findings.add(fault.kind, entry.path, fault.detail);
      links.set(path, entry.target);
    }
    return path;
  };

  return {
    add(entry) {
      const parts = splitEntryPath(entry.path, bounds);
      if ("kind" in parts) {
        findings.add(parts.kind, entry.path, parts.detail);
        return null;
      }
      const [top, ...below] = parts;
      if (top === undefined) return null;
      root ??= top;
      if (top !== root) {
        findings.add("archive-root", entry.path, `the first entry is in ${root}`);
        return null;
      }
      if (below.length === 0 && entry.kind !== "folder") {
        findings.add("archive-root", entry.path, "an entry stands beside the top folder");
        return null;
      }
      return place(below, entry);
    },
    end() {
      if (root === null) return findings.fail("archive-corrupt", "", "it holds nothing");
      const folded = new Map([...links].map(([path, target]) => [foldName(path), target]));
      const budget = { steps: bounds.linkSteps };
      for (const [path, target] of links) {
        // Named already; a link that leads through it is a leaving one.
        if (target.startsWith("/")) continue;
        const outcome = resolveLink(path, folded, budget);
        if (outcome === "leaves") findings.add("leaving-link", shown(path), target);
        if (outcome === "loop") findings.add("link-loop", shown(path), target);
        if (outcome === "too-far")
          findings.fail("too-many-entries", shown(path), "links lead through too many parts");
      }
      return { root, links };
    },
  };
}
