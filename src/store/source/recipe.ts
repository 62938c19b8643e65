/**
 * A recipe, `generations/<name>.json`: what a runtime is made of and where its entry points are.
 *
 * This schema is the one source of the format: the parser checks with it, and the published
 * `generations/recipe.schema.json` is made from it (a test says when it is out of date).
 */
import { z } from "zod";
import { contractSchema, entrypointsSchema, runtimeName, treePath } from "./generation-file-schema.ts";

const glob = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?![!/])(?!.*\\)(?!(.*\/)?\.{1,2}(\/|$)).+$/, {
    error: 'must be a pattern below the source, without a leading "!" or "/", backslashes, "." or ".." parts',
  });

const globs = z.array(glob).max(1000);

const dependenciesSchema = z.discriminatedUnion("mode", [
  z
    .strictObject({
      mode: z.literal("clean"),
      manager: z.literal("npm").default("npm"),
      lockfile: treePath
        .optional()
        .describe("Default: npm-shrinkwrap.json where it exists, else package-lock.json."),
    })
    .describe("Production dependencies, built from the lockfile in isolation, with scripts off."),
  z.strictObject({ mode: z.literal("as-is") }).describe("The source's own node_modules, as it stands."),
  z.strictObject({ mode: z.literal("none") }).describe("No dependencies; node_modules is left out."),
]);

const interpreterChoice = z.union([
  z.enum(["running", "none"]),
  z.strictObject({
    path: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe("Absolute, or relative to the source. Default: the interpreter that runs swarm-gen."),
    acceptForeignLibraries: z
      .boolean()
      .optional()
      .describe("Accept one that links libraries beyond the system's C and C++ runtime; they are recorded."),
  }),
]);

export const recipeSchema = z
  .strictObject({
    $schema: z.string().max(1000).optional(),
    format: z.literal(1),
    name: runtimeName.describe("The runtime's name."),
    description: z.string().max(1000).optional(),
    include: globs.min(1).describe("What is taken. A folder's name takes all that is below it."),
    exclude: globs.default([]).describe("What is left out again, dependencies included."),
    dependencies: dependenciesSchema.default({ mode: "none" }),
    interpreter: interpreterChoice
      .default("running")
      .describe("The interpreter that the generation carries as bin/node."),
    entrypoints: entrypointsSchema.default({}).describe("Where the runtime's programs stand in its tree."),
    contract: contractSchema.nullable().default(null).describe("What the runtime speaks."),
  })
  .describe("A swarm-gen recipe: what a runtime is made of.");

export type Recipe = z.infer<typeof recipeSchema>;

/** The published JSON Schema of a recipe. */
export function recipeJsonSchema(): Record<string, unknown> {
  return { title: "swarm-gen recipe", ...z.toJSONSchema(recipeSchema, { io: "input" }) };
}
