/** Whether the entry points that a recipe names are there in the plan. */

import { createLinkResolver } from "./check-links.ts";
import type { Entrypoints } from "./generation-file.ts";
import type { JsonDocument, JsonProblem } from "./json-document.ts";
import { nearestWord } from "./nearest-word.ts";
import type { PlannedEntry } from "./planned-entry.ts";

export interface MissingEntrypoint {
  /** `["entrypoints", "hooks", "PreToolUse"]` */
  readonly at: readonly (string | number)[];
  readonly path: string;
  readonly message: string;
}

/** Programs must be files; `plugin` and each of `skills` may be a folder too. Links are followed. */
export function missingEntrypoints(
  entries: Iterable<PlannedEntry>,
  entrypoints: Entrypoints,
): MissingEntrypoint[] {
  const named = namedPaths(entrypoints);
  if (named.length === 0) return [];
  const resolver = createLinkResolver(entries);
  const realOf = (path: string) => {
    const end = resolver.resolve(path);
    return end.kind === "inside" ? end.path : path;
  };
  const wanted = new Set(named.map(({ path }) => realOf(path)));
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const { kind, path } of entries) {
    if (kind !== "folder" && kind !== "link" && wanted.has(path)) files.add(path);
    for (const real of wanted) {
      if (path.startsWith(`${real}/`) || (kind === "folder" && path === real)) folders.add(real);
    }
  }
  return named.flatMap(({ at, path, mayBeFolder }) => {
    const real = realOf(path);
    if (files.has(real) || (mayBeFolder && folders.has(real))) return [];
    if (folders.has(real)) return [{ at, path, message: `${path} is a folder, not a program` }];
    return [{ at, path, message: missing(path, entries) }];
  });
}

export function entrypointProblems(
  document: JsonDocument,
  missing: readonly MissingEntrypoint[],
): JsonProblem[] {
  return missing.map(({ at, message }) => document.problem([...at], message));
}

interface NamedPath {
  readonly at: (string | number)[];
  readonly path: string;
  readonly mayBeFolder: boolean;
}

function namedPaths({ hooks, skills, plugin, ...programs }: Entrypoints): NamedPath[] {
  const program = (at: (string | number)[], path: string | undefined, mayBeFolder = false): NamedPath[] =>
    path === undefined ? [] : [{ at: ["entrypoints", ...at], path, mayBeFolder }];
  return [
    ...Object.entries(programs).flatMap(([name, path]) => program([name], path)),
    ...Object.entries(hooks ?? {}).flatMap(([event, path]) => program(["hooks", event], path)),
    ...program(["plugin"], plugin, true),
    ...(skills ?? []).flatMap((path, index) => program(["skills", index], path, true)),
  ];
}

const MOST_NAMES = 1000;

function missing(path: string, entries: Iterable<PlannedEntry>): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const beside: string[] = [];
  for (const { kind, path: other } of entries) {
    if (kind === "folder" || kind === "link" || !other.startsWith(folder)) continue;
    const name = other.slice(folder.length);
    if (!name.includes("/") && beside.length < MOST_NAMES) beside.push(name);
  }
  const meant = nearestWord(path.slice(folder.length), beside);
  const advice = meant === null ? "is it included, and built?" : `did you mean ${folder}${meant}?`;
  return `${path} is not in the runtime; ${advice}`;
}
