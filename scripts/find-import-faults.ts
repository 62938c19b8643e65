/**
 * Reads the imports of all modules below `src/` and says what is wrong with them: a direction that
 * the design does not have, a cycle, an import of nothing, a start that loads too much.
 *
 * dependency-cruiser finds the imports. It skips what it cannot read, in silence, so the number of
 * modules that it saw is compared with the number of files.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import { cruise, type ICruiseResult, type IDependency, type IModule } from "dependency-cruiser";
import { ALLOWED_IMPORTS, COMPOSITION_ROOTS, NOT_AT_START, SHARED_TYPES } from "./import-rules.ts";

export interface ImportReport {
  /** One sentence each; empty if all is well. */
  readonly faults: readonly string[];
  readonly modules: number;
  readonly imports: number;
}

/** Looks at `<root>/src`; the packages that it imports are looked up from `root`. */
export async function findImportFaults(root: string): Promise<ImportReport> {
  const own = (await modulesBelow(root)).filter(({ source }) => source.startsWith("src/"));
  const files = globSync("src/**/*.ts", { cwd: root });
  const faults = own.flatMap((module) => [
    ...unresolved(module),
    ...wrongDirections(module),
    ...cycles(module),
  ]);
  const seen = new Set(own.map(({ source }) => source));
  for (const file of files) {
    if (!seen.has(file)) faults.push(`${file} was not read: is it TypeScript that the checker knows?`);
  }
  faults.push(...loadedAtStart(own));
  return {
    faults: [...new Set(faults)],
    modules: files.length,
    imports: own.reduce((sum, { dependencies }) => sum + dependencies.length, 0),
  };
}

async function modulesBelow(root: string): Promise<readonly IModule[]> {
  const { output } = await cruise(
    ["src"],
    {
      baseDir: root,
      doNotFollow: { path: "node_modules" },
      tsPreCompilationDeps: "specify",
      tsConfig: { fileName: join(root, "tsconfig.json") },
      // Only where a rule asks for it are cycles looked for at all.
      ruleSet: { forbidden: [{ name: "cycle", from: {}, to: { circular: true } }] },
      validate: true,
      enhancedResolveOptions: {
        exportsFields: ["exports"],
        conditionNames: ["import", "require", "node", "default", "types"],
      },
    },
    {},
  );
  return (output as ICruiseResult).modules;
}

function unresolved({ source, dependencies }: IModule): string[] {
  return dependencies
    .filter(({ couldNotResolve }) => couldNotResolve)
    .map(({ module }) => `${source} imports ${module}, which is not there`);
}

function wrongDirections({ source, dependencies }: IModule): string[] {
  const folder = folderOf(source);
  const allowed = ALLOWED_IMPORTS[folder];
  if (allowed === undefined) return [`${source}: no rule says what src/${folder}/ may import`];
  if (COMPOSITION_ROOTS.includes(source)) return [];
  return dependencies.filter(isOfThisProject).flatMap(({ resolved, preCompilationOnly }) => {
    if (!resolved.startsWith("src/")) return [`${source} imports ${resolved}, which is outside of src/`];
    if (preCompilationOnly === true && folder === "surface" && SHARED_TYPES.includes(resolved)) return [];
    const target = folderOf(resolved);
    return target === folder || allowed.includes(target)
      ? []
      : [`${source} imports ${resolved}: src/${folder}/ may not import src/${target}/`];
  });
}

function isOfThisProject({ resolved, coreModule, couldNotResolve }: IDependency): boolean {
  return !coreModule && !couldNotResolve && !resolved.includes("node_modules/");
}

// A cycle through a type or a lazy import loads in any order; one of static imports does not.
function cycles({ source, dependencies }: IModule): string[] {
  return (
    dependencies
      .filter((dependency) => dependency.circular && isLoadedWith(dependency))
      .filter(({ cycle }) => cycle?.every(({ dependencyTypes }) => !isLazy(dependencyTypes)))
      .map(({ cycle }) => cycle!.map(({ name }) => name))
      // Each member of a cycle tells of it; the one whose name is first is enough.
      .filter((names) => names.toSorted()[0] === source)
      .map((names) => `cycle: ${[source, ...names].join(" → ")}`)
  );
}

function loadedAtStart(modules: readonly IModule[]): string[] {
  const bySource = new Map(modules.map((module) => [module.source, module]));
  return NOT_AT_START.flatMap(({ from, packages, because }) => {
    if (!bySource.has(from)) return [`${from} is not there; a rule of its start names it`];
    return [...reachedFrom(from, bySource)].flatMap(([source, path]) => {
      const found = packages.find((name) => source.includes(`node_modules/${name}/`));
      return found === undefined ? [] : [`${path.join(" → ")} loads ${found} at the start: ${because}`];
    });
  });
}

/** All that loading `start` loads, each with the shortest way to it. */
function reachedFrom(start: string, modules: ReadonlyMap<string, IModule>): Map<string, readonly string[]> {
  const ways = new Map<string, readonly string[]>([[start, [start]]]);
  // A map goes on to what is added to it while it is walked.
  for (const [source, way] of ways) {
    for (const dependency of modules.get(source)?.dependencies ?? []) {
      if (isLoadedWith(dependency) && !ways.has(dependency.resolved)) {
        ways.set(dependency.resolved, [...way, dependency.resolved]);
      }
    }
  }
  return ways;
}

function isLoadedWith({ dynamic, preCompilationOnly, dependencyTypes }: IDependency): boolean {
  return !dynamic && preCompilationOnly !== true && !isLazy(dependencyTypes);
}

function isLazy(types: readonly string[]): boolean {
  return types.includes("dynamic-import") || types.includes("type-only");
}

function folderOf(source: string): string {
  return source.split("/")[1] ?? "";
}
