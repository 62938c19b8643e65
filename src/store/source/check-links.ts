/**
 * Whether every link of a plan stays inside it (STORE-4), decided from the plan alone.
 *
 * A target is resolved part by part, as the kernel would: a part that is itself a link of the plan
 * is replaced by its target, and ".." leaves the folder that was truly reached, not the one that
 * was written. Parts that do not exist are taken as folders. A link to nothing inside the tree is
 * fine: it can never lead out.
 * Paths are compared folded, as in `check-names.ts`: on a file system without case, `A/..` goes
 * through the link `a`.
 */
import { foldName } from "./check-names.ts";
import { shownName } from "./entry-name.ts";
import { type Finding, finding } from "./finding.ts";
import type { PlannedEntry } from "./planned-entry.ts";
import { SOURCE_BOUNDS } from "./source-bounds.ts";

/** As many links as Linux follows for one path. */
const HOPS = 40;

export type LinkEnd =
  | { readonly kind: "inside"; readonly path: string }
  | { readonly kind: "absolute" }
  | { readonly kind: "leaves" }
  | { readonly kind: "loops" };

export interface LinkResolver {
  /** Where `path`, relative to the root, ends once all links on it are followed. */
  resolve(path: string): LinkEnd;
}

export function checkLinks(entries: Iterable<PlannedEntry>): Finding[] {
  const resolver = createLinkResolver(entries);
  const findings: Finding[] = [];
  for (const entry of entries) {
    const found = entry.kind === "link" ? checkLink(resolver, entry) : null;
    if (found !== null) findings.push(found);
  }
  return findings;
}

function checkLink(
  resolver: LinkResolver,
  { path, target }: Extract<PlannedEntry, { kind: "link" }>,
): Finding | null {
  const detail = `to ${shownName(target)}`;
  if (target.startsWith("/")) return finding("absolute-link", shownName(path), detail);
  if (target === "" || Buffer.byteLength(target) > SOURCE_BOUNDS.pathBytes) {
    return finding("too-deep", shownName(path), `a target of ${Buffer.byteLength(target)} bytes`);
  }
  const end = resolver.resolve(path);
  // A link that goes through an absolute one is as good as that one, which is named by itself.
  if (end.kind === "leaves" || end.kind === "absolute")
    return finding("leaving-link", shownName(path), detail);
  return end.kind === "loops" ? finding("link-loop", shownName(path), detail) : null;
}

export function createLinkResolver(entries: Iterable<PlannedEntry>): LinkResolver {
  const targets = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === "link") targets.set(foldName(entry.path), entry.target);
  }
  return { resolve: (path) => resolveIn(targets, path) };
}

function resolveIn(targets: ReadonlyMap<string, string>, path: string): LinkEnd {
  const reached: string[] = [];
  const ahead = path.split("/").reverse();
  let hops = 0;
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (reached.pop() === undefined) return { kind: "leaves" };
      continue;
    }
    reached.push(part);
    // Deeper than any path may be, nothing is a link; without this, long targets cost quadratic time.
    if (targets.size === 0 || reached.length > SOURCE_BOUNDS.depth + 1) continue;
    const target = targets.get(foldName(reached.join("/")));
    if (target === undefined) continue;
    if (target.startsWith("/")) return { kind: "absolute" };
    hops += 1;
    if (hops > HOPS) return { kind: "loops" };
    reached.pop();
    ahead.push(...target.split("/").reverse());
  }
  return { kind: "inside", path: reached.join("/") };
}
