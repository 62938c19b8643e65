/**
 * diff: what differs between two generations, by component first and then by file.
 *
 * Read from the two listings. Folders whose digests agree are equal throughout, so only what
 * differs is looked at; packages are named with the versions that their own manifests give.
 */
import { join } from "node:path";
import type { ListingEntry } from "../identity/listing.ts";
import { EMPTY_TREE, type GenerationId } from "../identity/object-id.ts";
import { readEntries } from "../list-files.ts";
import { show } from "../show.ts";
import type { Component, ComponentChange, FileChange, GenerationDetails, GenerationDiff } from "../store.ts";
import type { StoreContext } from "../store-context.ts";

interface Side {
  readonly details: GenerationDetails;
  readonly entries: ReadonlyMap<string, ListingEntry>;
}

export function diff(context: StoreContext, from: GenerationId, to: GenerationId): GenerationDiff {
  const [before, after] = [readSide(context, from), readSide(context, to)];
  const files = fileChanges(before, after);
  const components = [
    ...interpreterChange(before, after),
    ...packageChanges(context, before, after),
    ...namedChanges("hooks", files, hooksOf(before), hooksOf(after)),
    ...namedChanges("skills", files, skillsOf(before), skillsOf(after)),
    ...codeChange(files),
  ];
  return { from, to, components, files, bytesBefore: before.details.bytes, bytesAfter: after.details.bytes };
}

function readSide(context: StoreContext, id: GenerationId): Side {
  const details = show(context, id);
  const entries = readEntries(context, id).map((entry) => [entry.path, entry] as const);
  return { details, entries: new Map(entries) };
}

function fileChanges(before: Side, after: Side): FileChange[] {
  const paths = [...new Set([...before.entries.keys(), ...after.entries.keys()])].sort();
  return paths.flatMap((path): FileChange[] => {
    const sides = [before.entries.get(path), after.entries.get(path)] as const;
    // A folder on both sides differs by what is in it, and that is named.
    if (sides.every((entry) => entry?.kind === "folder")) return [];
    const [old, young] = [contentOf(sides[0]), contentOf(sides[1])];
    if (old === null && young === null) return [];
    if (old !== null && young !== null && old.mode === young.mode && old.digest === young.digest) return [];
    const change = old === null ? "added" : young === null ? "removed" : "changed";
    return [{ path, component: componentOf(path, before, after), change, before: old, after: young }];
  });
}

/** Of files, links, and folders that are empty; all others follow from what is in them. */
function contentOf(entry: ListingEntry | undefined): FileChange["before"] {
  if (entry === undefined) return null;
  if (entry.kind === "folder") {
    return entry.digest === EMPTY_TREE ? { mode: "040000", digest: EMPTY_TREE, size: 0 } : null;
  }
  const mode = entry.kind === "link" ? "120000" : entry.executable ? "100755" : "100644";
  return { mode, digest: entry.digest, size: entry.size };
}

function componentOf(path: string, ...sides: readonly Side[]): Component {
  if (sides.some(({ details }) => details.interpreter?.path === path)) return "interpreter";
  if (path.split("/").includes("node_modules")) return "dependencies";
  if (sides.some((side) => hooksOf(side).has(path))) return "hooks";
  return sides.some((side) => [...skillsOf(side).keys()].some((skill) => isAtOrBelow(path, skill)))
    ? "skills"
    : "code";
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Path to event. */
function hooksOf({ details }: Side): ReadonlyMap<string, string> {
  return new Map(Object.entries(details.entrypoints.hooks ?? {}).map(([event, path]) => [path, event]));
}

/** Path to path. */
function skillsOf({ details }: Side): ReadonlyMap<string, string> {
  return new Map((details.entrypoints.skills ?? []).map((path) => [path, path]));
}

function interpreterChange({ details: before }: Side, { details: after }: Side): ComponentChange[] {
  const [old, young] = [before.interpreter, after.interpreter];
  if (old?.digest === young?.digest) return [];
  const change = old === null ? "added" : young === null ? "removed" : "changed";
  const label = (one: typeof old) => (one === null ? null : `${one.name} ${one.version}`);
  return [
    {
      component: "interpreter",
      name: (young ?? old)?.name ?? "",
      change,
      before: label(old),
      after: label(young),
    },
  ];
}

const PACKAGE_FOLDER = /(^|\/)node_modules\/(@[^/]+\/)?[^/@.][^/]*$/;

function packageChanges(context: StoreContext, before: Side, after: Side): ComponentChange[] {
  const folders = [...new Set([...before.entries.keys(), ...after.entries.keys()])]
    .filter((path) => PACKAGE_FOLDER.test(path))
    .sort();
  return folders.flatMap((path): ComponentChange[] => {
    const [old, young] = [before.entries.get(path), after.entries.get(path)];
    if (old?.digest === young?.digest || (old ?? young)?.kind !== "folder") return [];
    const versions = [versionOf(context, before, path), versionOf(context, after, path)] as const;
    const change = old === undefined ? "added" : young === undefined ? "removed" : "changed";
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    return [{ component: "dependencies", name, change, before: versions[0], after: versions[1] }];
  });
}

function versionOf({ fs }: StoreContext, { details, entries }: Side, folder: string): string | null {
  const manifest = `${folder}/package.json`;
  if (!entries.has(folder) || entries.get(manifest)?.kind !== "file") return null;
  try {
    const { version } = JSON.parse(fs.readFileSync(join(details.path, manifest), "utf8")) as {
      version?: unknown;
    };
    return typeof version === "string" ? version : null;
  } catch {
    // A manifest that is no JSON names no version; its files are compared all the same.
    return null;
  }
}

function namedChanges(
  component: "hooks" | "skills",
  files: readonly FileChange[],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): ComponentChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): ComponentChange[] => {
    const [old, young] = [before.get(path) ?? null, after.get(path) ?? null];
    const isTouched = files.some((file) => isAtOrBelow(file.path, path));
    if (old === young && !isTouched) return [];
    const change = old === null ? "added" : young === null ? "removed" : "changed";
    return [{ component, name: young ?? old ?? path, change, before: old && path, after: young && path }];
  });
}

function codeChange(files: readonly FileChange[]): ComponentChange[] {
  const code = files.filter(({ component }) => component === "code");
  if (code.length === 0) return [];
  const count = (change: FileChange["change"]) => code.filter((file) => file.change === change).length;
  const after = `${count("added")} added, ${count("removed")} removed, ${count("changed")} changed`;
  return [{ component: "code", name: "", change: "changed", before: null, after }];
}
