/** The check of a `generation.json` that comes from outside: a copied tree or an archive. */
import { z } from "zod";
import {
  type GenerationFile,
  generationFileBytes,
  RUNTIME_NAME,
  RUNTIME_NAME_RULE,
} from "./generation-file.ts";

/** The name of a runtime. */
export const runtimeName = z.string().regex(RUNTIME_NAME, { error: RUNTIME_NAME_RULE });

/** A path inside the tree: relative, "/"-separated, without "." or ".." or empty parts. */
export const treePath = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^(?!\.{1,2}(\/|$))[^/\\\p{Cc}]+(\/(?!\.{1,2}(\/|$))[^/\\\p{Cc}]+)*$/u, {
    error: "must be a relative path inside the runtime, with / between its parts",
  });

const range = z
  .tuple([z.int().min(0), z.int().min(0)])
  .refine(([low, high]) => low <= high, { error: "must be [lowest, highest]" });

export const contractSchema = z.strictObject({
  api: range,
  ledgerSchema: range,
  indexSchema: range,
  skills: z.record(z.string().min(1), range),
});

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

const interpreterSchema = z.strictObject({
  name: z.literal("node"),
  version: z.string().regex(/^v?\d{1,4}\.\d{1,4}\.\d{1,4}[\w.+-]{0,64}$/),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  path: treePath,
  foreignLibraries: z.array(z.string().min(1).max(1000)).optional(),
});

export const generationFileSchema = z.strictObject({
  format: z.literal(1),
  name: runtimeName,
  contract: contractSchema.nullable(),
  entrypoints: entrypointsSchema,
  interpreter: interpreterSchema.nullable(),
  platform: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9_]+){1,3}$/)
    .nullable(),
  lockfile: z
    .strictObject({ manager: z.string().min(1).max(32), digest: z.string().regex(/^[0-9a-f]{64}$/) })
    .nullable(),
});

export type ParsedGenerationFile =
  | { readonly kind: "valid"; readonly file: GenerationFile }
  /** A sentence without its subject. */
  | { readonly kind: "invalid"; readonly why: string };

/** Accepts only the very bytes that `generationFileBytes` writes for the same values. */
export function parseGenerationFile(bytes: Uint8Array): ParsedGenerationFile {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return { kind: "invalid", why: "is not JSON" };
  }
  const parsed = generationFileSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      kind: "invalid",
      why: `is malformed at ${issue?.path.join(".") || "its root"}: ${issue?.message}`,
    };
  }
  if (!generationFileBytes(parsed.data).equals(bytes))
    return { kind: "invalid", why: "is not canonical JSON" };
  return { kind: "valid", file: parsed.data };
}
