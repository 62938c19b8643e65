/**
 * What a recipe takes of its source: include minus exclude, minus what is never part of a runtime.
 *
 * A pattern that matches a folder takes (or leaves out) all that is below it. Names that begin
 * with a dot are ordinary names. Each include pattern must match something, since one that does
 * not is a build that was forgotten or a name with a slip.
 */
import picomatch from "picomatch";
import { GENERATION_FILE } from "./generation-file.ts";
import type { Selection } from "./walk.ts";

export interface RecipeSelection extends Selection {
  /** Indexes of the include patterns that nothing was taken for, after a walk. */
  unmatched(): number[];
}

export interface SelectionRequest {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Whether node_modules of the source may be taken. */
  readonly dependenciesAsIs: boolean;
}

export function selectFiles({ include, exclude, dependenciesAsIs }: SelectionRequest): RecipeSelection {
  const patterns = include.map((pattern) => ({
    base: baseOf(pattern),
    depth: depthOf(pattern),
    matches: matcher([pattern]),
    hits: 0,
  }));
  const excluded = excludes(exclude);
  const isLeftOut = (path: string) =>
    excluded(path) || isNeverTaken(path) || (!dependenciesAsIs && DEPENDENCIES.test(path));
  return {
    descends(folder) {
      if (isLeftOut(folder)) return false;
      const inner = folder.split("/").length + 1;
      return patterns.some(
        ({ base, depth, matches }) => (inner <= depth && mayMatchBelow(base, folder)) || matches(folder),
      );
    },
    takes(path) {
      if (isLeftOut(path)) return false;
      let taken = false;
      for (const pattern of patterns) {
        if (!pattern.matches(path)) continue;
        pattern.hits += 1;
        taken = true;
      }
      return taken;
    },
    unmatched: () => patterns.flatMap(({ hits }, index) => (hits === 0 ? [index] : [])),
  };
}

/** Whether a path is left out by `exclude`; also asked for built dependencies. */
export function excludes(exclude: readonly string[]): (path: string) => boolean {
  return exclude.length === 0 ? () => false : matcher(exclude);
}

/**
 * Recipes and manifests of releases say what a runtime is; part of it, each would change the id
 * that it records. `generation.json` in a source is a copy of another runtime's.
 */
export function isNeverTaken(path: string): boolean {
  return path === GENERATION_FILE || /^generations\/([^/]+\.json$|[^/]+\/)/.test(path);
}

const DEPENDENCIES = /(^|\/)node_modules(\/|$)/;

function matcher(patterns: readonly string[]): (path: string) => boolean {
  const whole = patterns.flatMap((pattern) => {
    const bare = pattern.replace(/\/+$/, "");
    return [bare, `${bare}/**`];
  });
  return picomatch(whole, { dot: true, nonegate: true, windows: false });
}

/** The part of a pattern before its first wild card: nothing outside that folder can match. */
function baseOf(pattern: string): string {
  const { base, isGlob } = picomatch.scan(pattern.replace(/\/+$/, ""));
  return isGlob ? base : pattern;
}

/** How many parts a path has at most that the pattern itself matches; no bound where that is hard to tell. */
function depthOf(pattern: string): number {
  return /\*\*|[(){}[\]]/.test(pattern)
    ? Number.POSITIVE_INFINITY
    : pattern.replace(/\/+$/, "").split("/").length;
}

function mayMatchBelow(base: string, folder: string): boolean {
  return base === "" || base === folder || base.startsWith(`${folder}/`) || folder.startsWith(`${base}/`);
}
