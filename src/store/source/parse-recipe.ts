/**
 * Reads a recipe. Every problem it has is reported at once, each with its JSON path, line and
 * column, and unknown keys with the key that was probably meant.
 */
import type { z } from "zod";
import { CodedError } from "../../kernel/errors.ts";
import { type JsonDocument, type JsonProblem, parseJsonDocument } from "./json-document.ts";
import { nearestWord } from "./nearest-word.ts";
import { type Recipe, recipeJsonSchema, recipeSchema } from "./recipe.ts";

export interface ParsedRecipe {
  readonly recipe: Recipe;
  /** Where the recipe came from, as people should read it. */
  readonly file: string;
  /** For problems that only show once the source is known. */
  readonly document: JsonDocument;
}

export const RECIPE_BYTES = 1024 * 1024;

/** Throws `recipe_invalid` with all problems. */
export function parseRecipe(file: string, bytes: Uint8Array): ParsedRecipe {
  const text = Buffer.from(bytes).toString("utf8");
  const parsed = parseJsonDocument(text);
  if (parsed.kind === "problems") throw recipeInvalid(file, parsed.problems);
  const { document } = parsed;
  const checked = recipeSchema.safeParse(document.value);
  if (checked.success) return { recipe: checked.data, file, document };
  throw recipeInvalid(
    file,
    checked.error.issues.flatMap((issue) => problemsOf(document, issue, [])),
  );
}

/** `recipe_invalid`, naming the file and each problem with its line and JSON path. */
export function recipeInvalid(file: string, problems: readonly JsonProblem[], hint?: string): CodedError {
  const lines = problems.map(
    ({ line, column, at, message }) =>
      `  ${file}:${line}:${column}: ${at === "" ? "the recipe" : at}: ${message}`,
  );
  return new CodedError("recipe_invalid", `The recipe ${file} is not usable:\n${lines.join("\n")}`, {
    ...(hint === undefined ? {} : { hint }),
    fields: { file, problems, changed: false },
  });
}

type Issue = z.core.$ZodIssue;

function problemsOf(document: JsonDocument, issue: Issue, outer: readonly PropertyKey[]): JsonProblem[] {
  const path = [...outer, ...issue.path].map((part) => (typeof part === "symbol" ? String(part) : part));
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(path);
    return issue.keys.map((key) => {
      const meant = nearestWord(key, known);
      const advice = meant === null ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
      return document.problem([...path, key], `unknown key; ${advice}`, "key");
    });
  }
  if (issue.code === "invalid_union") return unionProblems(document, issue, path);
  return [document.problem(path, wordsFor(issue, path))];
}

function wordsFor(issue: Issue, path: readonly (string | number)[]): string {
  if (issue.code !== "invalid_type") return issue.message;
  const isMissing = issue.message.endsWith("received undefined");
  return CHOICES[path.join(".")] ?? (isMissing ? "is missing" : issue.message);
}

/** Of a union's branches, the one whose problems lie deepest is the one that was meant. */
function unionProblems(
  document: JsonDocument,
  issue: Extract<Issue, { code: "invalid_union" }>,
  path: (string | number)[],
): JsonProblem[] {
  const meant = issue.errors.find(
    (branch) =>
      branch.length > 0 &&
      branch.every(({ code, path: inner }) => inner.length > 0 || code === "unrecognized_keys"),
  );
  if (meant !== undefined) return meant.flatMap((inner) => problemsOf(document, inner, path));
  return [document.problem(path, CHOICES[path.join(".")] ?? issue.message)];
}

/** What may stand where the format has a choice. */
const CHOICES: Readonly<Record<string, string>> = {
  interpreter: 'must be "running", "none" or {"path": …}',
  dependencies: 'must be {"mode": "clean" | "as-is" | "none"}',
  "dependencies.mode": 'must be "clean", "as-is" or "none"',
};

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
}

/** The keys that the format knows at a path, read off the published schema. */
function knownKeys(path: readonly (string | number)[]): string[] {
  let nodes: SchemaNode[] = [recipeJsonSchema() as SchemaNode];
  for (const part of path) nodes = nodes.flatMap(branches).flatMap((node) => node.properties?.[part] ?? []);
  return [...new Set(nodes.flatMap(branches).flatMap((node) => Object.keys(node.properties ?? {})))];
}

function branches(node: SchemaNode): SchemaNode[] {
  return [node, ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
}
