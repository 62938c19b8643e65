/** Assembles a runtime by its recipe: the files it takes, its dependencies, its interpreter. */
import { resolve } from "node:path";
import type { AssembleRequest } from "./assembled-runtime.ts";
import { type Assembly, addGenerationFile, refuseFindings, refuseStoreWithin } from "./assembly.ts";
import { entrypointProblems, missingEntrypoints } from "./check-entrypoints.ts";
import type { SourcesDeps } from "./create-sources.ts";
import {
  cleanDependencies,
  type DependencyLayer,
  dependenciesAsIs,
  NO_DEPENDENCIES,
} from "./dependencies.ts";
import type { Entrypoints, GenerationFile } from "./generation-file.ts";
import { platformName } from "./host.ts";
import { INTERPRETER_PATH, type ResolvedInterpreter, resolveInterpreter } from "./interpreter.ts";
import type { JsonProblem } from "./json-document.ts";
import { nearestWord } from "./nearest-word.ts";
import { type ParsedRecipe, recipeInvalid } from "./parse-recipe.ts";
import { appendPlan, type Plan } from "./plan.ts";
import type { Recipe } from "./recipe.ts";
import { type RecipeSelection, selectFiles } from "./selection.ts";
import { walkFolder } from "./walk.ts";

/** `request.source` is the folder's real path. */
export async function assembleRecipe(
  deps: SourcesDeps,
  request: AssembleRequest,
  parsed: ParsedRecipe,
): Promise<Assembly> {
  const { recipe } = parsed;
  const { source } = request;
  const selection = selectFiles({ ...recipe, dependenciesAsIs: false });
  const own = walkFolder({ fs: deps.fs, root: source, selection });
  refuseProblems(parsed, [
    ...unmatchedPatterns(deps, source, parsed, selection),
    ...entrypointProblems(parsed.document, missingOf(own.plan, recipe, isOwn)),
  ]);
  refuseStoreWithin(deps, source, own.plan);
  refuseFindings(source, own.findings, own.plan);
  const interpreter = await chosenInterpreter(deps, source, recipe);
  const dependencies = await dependencyLayer(deps, request, recipe, interpreter);
  try {
    const { plan } = own;
    if (dependencies.plan !== null) appendPlan(plan, dependencies.plan);
    interpreter?.addTo(plan);
    const generationFile = describe(deps, request, recipe, interpreter, dependencies, plan);
    addGenerationFile(plan, generationFile);
    refuseProblems(
      parsed,
      entrypointProblems(
        parsed.document,
        missingOf(plan, recipe, () => true),
      ),
    );
    refuseFindings(source, dependencies.findings, plan);
    const { remember, forget, release } = dependencies;
    return { plan, generationFile, remember, forget, release };
  } catch (error) {
    await dependencies.release();
    throw error;
  }
}

async function chosenInterpreter(
  deps: SourcesDeps,
  source: string,
  { interpreter }: Recipe,
): Promise<ResolvedInterpreter | null> {
  if (interpreter === "none") return null;
  const { path, acceptForeignLibraries } = interpreter === "running" ? {} : interpreter;
  const from = path === undefined ? deps.host.execPath : resolve(source, path);
  return resolveInterpreter({ ...deps, platform: deps.host.platform }, from, acceptForeignLibraries === true);
}

async function dependencyLayer(
  deps: SourcesDeps,
  { source, scratch, signal, onBuild = () => {} }: AssembleRequest,
  { dependencies, exclude }: Recipe,
  interpreter: ResolvedInterpreter | null,
): Promise<DependencyLayer> {
  if (dependencies.mode === "none") return NO_DEPENDENCIES;
  if (dependencies.mode === "as-is") return dependenciesAsIs(deps, source, exclude);
  // Without one of its own, the runtime runs on whatever interpreter it meets: this one is a fair guess.
  const forWhich = interpreter ?? { interpreter: { version: deps.host.nodeVersion }, abi: deps.host.nodeAbi };
  return cleanDependencies(deps, {
    source,
    lockfile: dependencies.lockfile,
    exclude,
    interpreter: { version: forWhich.interpreter.version, abi: forWhich.abi },
    scratch,
    onBuild,
    signal,
  });
}

function describe(
  deps: SourcesDeps,
  request: AssembleRequest,
  recipe: Recipe,
  interpreter: ResolvedInterpreter | null,
  dependencies: DependencyLayer,
  plan: Plan,
): GenerationFile {
  const isBound = interpreter !== null || dependencies.isPlatformBound || holdsNativeModule(plan);
  return {
    format: 1,
    name: request.name ?? recipe.name,
    contract: recipe.contract,
    entrypoints: recipe.entrypoints,
    interpreter: interpreter === null ? null : interpreter.interpreter,
    platform: isBound ? platformName(deps.host) : null,
    lockfile: dependencies.lockfile,
  };
}

function holdsNativeModule(plan: Plan): boolean {
  for (const { path } of plan) if (path.endsWith(".node")) return true;
  return false;
}

/** Whether a path is the source's to provide; the rest only exists once the layers are merged. */
function isOwn(path: string): boolean {
  return path !== INTERPRETER_PATH && !/(^|\/)node_modules(\/|$)/.test(path);
}

function missingOf(plan: Plan, { entrypoints }: Recipe, counts: (path: string) => boolean) {
  return missingEntrypoints(plan, entrypoints as Entrypoints).filter(({ path }) => counts(path));
}

function refuseProblems({ file }: ParsedRecipe, problems: readonly JsonProblem[]): void {
  if (problems.length > 0)
    throw recipeInvalid(file, problems, "Correct the recipe, or build the project first.");
}

/** Folders that usually hold what a build makes. */
const BUILT = /^(dist|build|out|lib|esm|cjs|target)(\/|$)/;

function unmatchedPatterns(
  deps: SourcesDeps,
  source: string,
  { recipe, document }: ParsedRecipe,
  selection: RecipeSelection,
): JsonProblem[] {
  const unmatched = selection.unmatched();
  if (unmatched.length === 0) return [];
  const names = deps.fs.readdirSync(source);
  return unmatched.map((index) => {
    const pattern = recipe.include[index]!;
    const first = pattern.split("/")[0]!;
    const meant = names.includes(first) ? null : nearestWord(first, names);
    const advice = BUILT.test(pattern)
      ? "build the project first"
      : meant === null
        ? "correct it or leave it out"
        : `did you mean ${[meant, ...pattern.split("/").slice(1)].join("/")}?`;
    return document.problem(["include", index], `${pattern} matches nothing: ${advice}`);
  });
}
