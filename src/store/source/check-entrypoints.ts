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
  entries: readonly PlannedEntry[],
  entrypoints: Entrypoints,
): MissingEntrypoint[] {
  const files = new Set(
    entries.flatMap(({ kind, path }) => (kind === "folder" || kind === "link" ? [] : [path])),
  );
  const resolver = createLinkResolver(entries);
  const isFolder = (path: string) =>
    entries.some(
      (entry) => entry.path.startsWith(`${path}/`) || (entry.kind === "folder" && entry.path === path),
    );
  return namedPaths(entrypoints).flatMap(({ at, path, mayBeFolder }) => {
    const end = resolver.resolve(path);
    const real = end.kind === "inside" ? end.path : path;
    if (files.has(real) || (mayBeFolder && isFolder(real))) return [];
    if (isFolder(real)) return [{ at, path, message: `${path} is a folder, not a program` }];
    return [{ at, path, message: missing(path, files) }];
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

function missing(path: string, files: ReadonlySet<string>): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const beside = [...files].filter(
    (file) => file.startsWith(folder) && !file.slice(folder.length).includes("/"),
  );
  const meant = nearestWord(
    path.slice(folder.length),
    beside.slice(0, 1000).map((file) => file.slice(folder.length)),
  );
  const advice = meant === null ? "is it included, and built?" : `did you mean ${folder}${meant}?`;
  return `${path} is not in the runtime; ${advice}`;
}
