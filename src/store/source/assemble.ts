/**
 * Turns a folder into the plan of a generation, by a recipe, whole (`bare`), or again (a folder
 * that is a copy of a generation).
 *
 * What is cheap to check is checked first: a recipe's mistakes and the source's own findings are
 * told before any dependency is built, and nothing is written but in the caller's scratch folder
 * and the store's records of builds. What a folder that is taken whole does not need, schemas and
 * all that builds, is loaded only by the others.
 */
import { resolve } from "node:path";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { AssembledRuntime, AssembleRequest, Provenance } from "./assembled-runtime.ts";
import { type Assembly, addGenerationFile, refuseFindings, refuseStoreWithin } from "./assembly.ts";
import { missingEntrypoints } from "./check-entrypoints.ts";
import type { SourcesDeps } from "./create-sources.ts";
import { finding, sourceRefused } from "./finding.ts";
import { GENERATION_FILE, type GenerationFile, RUNTIME_NAME, RUNTIME_NAME_RULE } from "./generation-file.ts";
import { nameFromFolder } from "./name-from-folder.ts";
import { findEntry, type Plan } from "./plan.ts";
import { readProvenance } from "./provenance.ts";
import { walkFolder } from "./walk.ts";

/** Throws `not_found`, `invalid_input`, `source_refused`, `recipe_invalid`, `build_failed`, `overloaded`. */
export async function assemble(deps: SourcesDeps, request: AssembleRequest): Promise<AssembledRuntime> {
  const source = realFolder(deps, request.source);
  checkRequest(request);
  const [assembly, provenance] = await Promise.all([
    assembleFrom(deps, request, source),
    request.provenance ?? readProvenance(deps, source),
  ]);
  return {
    ...assembly,
    name: assembly.generationFile.name,
    ownPaths: request.acceptOwnPaths === true ? [] : ownPaths(deps, request.source, source),
    provenance: provenance satisfies Provenance,
  };
}

async function assembleFrom(deps: SourcesDeps, request: AssembleRequest, source: string): Promise<Assembly> {
  if (request.recipe === undefined) {
    const bytes = generationFileOf(deps, source);
    if (bytes !== null) return assembleCopy(deps, request, source, bytes);
    if (request.bare === true) return assembleBare(deps, request, source);
  }
  const { assembleRecipe } = await import("./assemble-recipe.ts");
  const { findRecipe } = await import("./find-recipe.ts");
  return assembleRecipe(deps, { ...request, source }, findRecipe(deps.fs, source, request.recipe));
}

/** The whole folder, but for its own `.git`. */
function assembleBare(deps: SourcesDeps, request: AssembleRequest, source: string): Assembly {
  const { plan, findings } = walkFolder({ fs: deps.fs, root: source });
  refuseStoreWithin(deps, source, plan);
  const generationFile: GenerationFile = {
    format: 1,
    name: request.name ?? nameFromFolder(source),
    contract: null,
    entrypoints: {},
    interpreter: null,
    platform: null,
    lockfile: null,
  };
  addGenerationFile(plan, generationFile);
  refuseFindings(source, findings, plan);
  return { plan, generationFile, ...NO_BUILD };
}

/** A copy of a generation is taken as it is, so that it gets the id that it had. */
async function assembleCopy(
  { fs }: SourcesDeps,
  request: AssembleRequest,
  source: string,
  bytes: Buffer,
): Promise<Assembly> {
  const { parseGenerationFile } = await import("./generation-file-schema.ts");
  const parsed = parseGenerationFile(bytes);
  if (parsed.kind === "invalid") throw notACopy(source, parsed.why);
  const generationFile = parsed.file;
  if (request.name !== undefined && request.name !== generationFile.name) {
    throw new CodedError(
      "invalid_input",
      `${source} is a copy of the generation ${generationFile.name}; another name would make it another generation.`,
      { hint: "Leave the name out." },
    );
  }
  const { plan, findings } = walkFolder({ fs, root: source });
  refuseFindings(source, findings, plan);
  const [missing] = missingEntrypoints(plan, generationFile.entrypoints);
  if (missing !== undefined)
    throw notACopy(source, `names an entry point that is missing: ${missing.message}`);
  await checkInterpreter(fs, source, plan, generationFile);
  return { plan, generationFile, ...NO_BUILD };
}

async function checkInterpreter(
  fs: SourcesDeps["fs"],
  source: string,
  plan: Plan,
  { interpreter }: GenerationFile,
): Promise<void> {
  if (interpreter === null) return;
  const entry = findEntry(plan, interpreter.path);
  if (entry?.kind !== "file" || !entry.executable)
    throw notACopy(source, `names an interpreter that is missing: ${interpreter.path}`);
  const { digestFile } = await import("./interpreter.ts");
  if (digestFile(fs, entry.from, entry.size) !== interpreter.digest) {
    throw notACopy(source, `names another interpreter than the one at ${interpreter.path}`);
  }
}

const NO_BUILD = { remember: null, forget: null, release: async () => {} };

/** More than any recipe makes of its entry points and its contract. */
const GENERATION_FILE_BYTES = 4 * 1024 * 1024;

function generationFileOf({ fs }: SourcesDeps, source: string): Buffer | null {
  const path = `${source}/${GENERATION_FILE}`;
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (!stats.isFile() || stats.size > GENERATION_FILE_BYTES) throw notACopy(source, "is not a small file");
  return fs.readFileSync(path);
}

/**
 * What a generation's files may not point at: the source they came from, by both of its names, and
 * the store's own folder of trees, where dependencies are built. The latter rather than the one
 * folder of this build, so that what was learned of a file stays true for the next.
 */
function ownPaths({ layout }: SourcesDeps, given: string, real: string): string[] {
  const paths = [real, resolve(given)].filter((path) => path.split("/").length > 2);
  return [...new Set([...paths, layout.generations])];
}

function checkRequest({ recipe, bare, name }: AssembleRequest): void {
  if (bare === true && recipe !== undefined) {
    throw new CodedError("invalid_input", "A folder is staged whole or by a recipe, not both.", {
      hint: "Leave out --bare or --recipe.",
    });
  }
  if (name !== undefined && !RUNTIME_NAME.test(name))
    throw new CodedError("invalid_input", `The name ${JSON.stringify(name)} ${RUNTIME_NAME_RULE}.`);
}

function realFolder({ fs }: SourcesDeps, path: string): string {
  let real: string;
  try {
    real = fs.realpathSync(path);
  } catch (error) {
    if (systemCode(error) === null) throw error;
    throw new CodedError("not_found", `The source ${path} cannot be read (${systemCode(error)}).`, {
      cause: error,
      hint: "Name a folder or an archive that exists.",
    });
  }
  if (fs.statSync(real).isDirectory()) return real;
  throw new CodedError("invalid_input", `The source ${path} is not a folder.`);
}

function notACopy(source: string, why: string): CodedError {
  const detail = `the name is swarm-gen's own, and this one ${why}`;
  return sourceRefused(source, [finding("path-collision", GENERATION_FILE, detail)]);
}
