/**
 * Which recipe a source is staged by: the one that was named, else the only one that it has.
 * Recipes are `generations/<name>.json`; the published schema beside them is not one.
 */
import { resolve } from "node:path";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { shellWord } from "../../kernel/shell-word.ts";
import type { FileSystem } from "../file-system.ts";
import { type ParsedRecipe, parseRecipe, RECIPE_BYTES } from "./parse-recipe.ts";

export const RECIPE_FOLDER = "generations";
export const RECIPE_SCHEMA_FILE = "recipe.schema.json";

/** `recipe` relative to the source, or absolute. Throws `not_found`, `invalid_input`, `recipe_invalid`. */
export function findRecipe(fs: FileSystem, source: string, recipe: string | undefined): ParsedRecipe {
  const named = recipe ?? onlyRecipe(fs, source);
  const path = resolve(source, named);
  try {
    const { size } = fs.statSync(path);
    if (size > RECIPE_BYTES) {
      throw new CodedError(
        "recipe_invalid",
        `The recipe ${named} has ${size} bytes; the bound is ${RECIPE_BYTES}.`,
      );
    }
    return parseRecipe(named, fs.readFileSync(path));
  } catch (error) {
    if (error instanceof CodedError || systemCode(error) === null) throw error;
    throw new CodedError("not_found", `The recipe ${path} cannot be read (${systemCode(error)}).`, {
      cause: error,
      hint: choicesHint(source, recipesOf(fs, source)),
    });
  }
}

function onlyRecipe(fs: FileSystem, source: string): string {
  const recipes = recipesOf(fs, source);
  const [only] = recipes;
  if (recipes.length === 1 && only !== undefined) return only;
  if (only === undefined) {
    throw new CodedError("not_found", `${source} has no recipe in ${RECIPE_FOLDER}/.`, {
      hint: "Stage the folder whole with --bare, name a recipe with --recipe, or write generations/<name>.json.",
      fields: { source, recipes },
    });
  }
  throw new CodedError("invalid_input", `${source} has ${recipes.length} recipes: ${recipes.join(", ")}.`, {
    hint: choicesHint(source, recipes),
    fields: { source, recipes },
  });
}

function recipesOf(fs: FileSystem, source: string): string[] {
  try {
    return fs
      .readdirSync(`${source}/${RECIPE_FOLDER}`)
      .filter((name) => name.endsWith(".json") && name !== RECIPE_SCHEMA_FILE)
      .sort()
      .map((name) => `${RECIPE_FOLDER}/${name}`);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** With whole paths: a command line resolves them against another folder than the source. */
function choicesHint(source: string, recipes: readonly string[]): string {
  if (recipes.length === 0) return "Stage the folder whole with --bare, or write generations/<name>.json.";
  const flags = recipes.map((recipe) => `--recipe ${shellWord(resolve(source, recipe))}`);
  return `Name one: ${flags.join(", or ")}`;
}
