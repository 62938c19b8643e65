/**
 * `generation.json`: what a generation says of itself, inside its own tree, so that its id covers
 * it. Canonical JSON. It holds no time, no path of a machine and no user name: staged twice, on
 * two machines, it is the same bytes.
 */
import { z } from "zod";
import { canonicalBytes } from "../../kernel/canonical-json.ts";

export const GENERATION_FILE = "generation.json";

/** A path inside the tree: relative, "/"-separated, without "." or ".." or empty parts. */
const treePath = z
  .string()
  .min(1)
  .max(1024)
  .refine((path) => path.split("/").every((part) => part !== "" && part !== "." && part !== ".."), {
    error: "must be a relative path inside the tree",
  });

const range = z
  .tuple([z.int().min(0), z.int().min(0)])
  .refine(([low, high]) => low <= high, { error: "must be [lowest, highest]" });

/** What a generation speaks; ranges match when they intersect. */
export const contractSchema = z.strictObject({
  api: range,
  ledgerSchema: range,
  indexSchema: range,
  skills: z.record(z.string().min(1), range),
});

/** Where a generation's programs stand; every one optional. */
export const entrypointsSchema = z.strictObject({
  cli: treePath.optional(),
  owner: treePath.optional(),
  wrapper: treePath.optional(),
  mcp: treePath.optional(),
  hooks: z.record(z.string().min(1), treePath).optional(),
  piExtension: treePath.optional(),
  plugin: treePath.optional(),
  skills: z.array(treePath).optional(),
});

export const interpreterSchema = z.strictObject({
  name: z.literal("node"),
  version: z.string(),
  /** Git's blob digest of the file at `path`. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  path: treePath,
});

export const generationFileSchema = z.strictObject({
  format: z.literal(1),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, { error: "must be lower-case letters, digits, . _ -" }),
  contract: contractSchema.nullable(),
  entrypoints: entrypointsSchema,
  interpreter: interpreterSchema.nullable(),
  /** `linux-x64`, …; null where nothing in the tree depends on it. */
  platform: z.string().nullable(),
  lockfile: z.strictObject({ manager: z.string(), digest: z.string() }).nullable(),
});

export type GenerationFile = z.infer<typeof generationFileSchema>;
export type Entrypoints = z.infer<typeof entrypointsSchema>;
export type Contract = z.infer<typeof contractSchema>;

export function generationFileBytes(file: GenerationFile): Buffer {
  return canonicalBytes(file);
}
