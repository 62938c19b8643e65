/** Recipes: what is accepted, and how each mistake is told. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { nearestWord } from "../../src/store/source/nearest-word.ts";
import { parseRecipe } from "../../src/store/source/parse-recipe.ts";
import { recipeJsonSchema } from "../../src/store/source/recipe.ts";
import { selectFiles } from "../../src/store/source/selection.ts";

const parse = (text: string) => parseRecipe("generations/x.json", Buffer.from(text)).recipe;

/** Each problem as `line:column path: message`. */
function problems(text: string): string[] {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== "recipe_invalid") throw error;
    const told = error.fields.problems as { at: string; line: number; column: number; message: string }[];
    for (const { line, column } of told)
      expect(error.message).toContain(`generations/x.json:${line}:${column}:`);
    return told.map(({ at, line, column, message }) => `${line}:${column} ${at}: ${message}`);
  }
  return [];
}

const MINIMAL = '{"format": 1, "name": "x", "include": ["dist"]}';

describe("parseRecipe", () => {
  test("the shortest recipe gets the defaults", () => {
    expect(parse(MINIMAL)).toEqual({
      format: 1,
      name: "x",
      include: ["dist"],
      exclude: [],
      dependencies: { mode: "none" },
      interpreter: "running",
      entrypoints: {},
      contract: null,
    });
  });

  test("all problems are told at once, each with path, line and column", () => {
    const text = `{
  "format": 2,
  "name": "Has Spaces",
  "include": ["../up", "/abs", "!not", "a\\\\b", "ok/**"],
  "entrypoints": {
    "cli": "../cli.js",
    "hooks": {"PreToolUse": ""}
  }
}`;
    expect(problems(text).map((line) => line.split(": ")[0])).toEqual([
      "2:13 format",
      "3:11 name",
      "4:15 include[0]",
      "4:24 include[1]",
      "4:32 include[2]",
      "4:40 include[3]",
      "6:12 entrypoints.cli",
      "7:29 entrypoints.hooks.PreToolUse",
      "7:29 entrypoints.hooks.PreToolUse",
    ]);
  });

  test.each([
    ['"includes": []', "includes: unknown key; did you mean include?"],
    ['"entryPoints": {}', "entryPoints: unknown key; did you mean entrypoints?"],
    ['"entrypoints": {"mpc": "x"}', "entrypoints.mpc: unknown key; did you mean mcp?"],
    ['"interpreter": {"paht": "x"}', "interpreter.paht: unknown key; did you mean path?"],
    [
      '"dependencies": {"mode": "clean", "lockFile": "x"}',
      "dependencies.lockFile: unknown key; did you mean lockfile?",
    ],
    ['"interpreter": "system"', 'interpreter: must be "running", "none" or {"path": …}'],
    ['"dependencies": "npm"', 'dependencies: must be {"mode": "clean" | "as-is" | "none"}'],
    ['"dependencies": {"mode": "dirty"}', 'dependencies.mode: must be "clean", "as-is" or "none"'],
    [
      '"contract": {"api": [2, 1], "ledgerSchema": [1, 1], "indexSchema": [1, 1], "skills": {}}',
      "contract.api: must be [lowest, highest]",
    ],
  ])("%s is told as %s", (member, expected) => {
    const told = problems(`{"format": 1, "name": "x", "include": ["dist"], ${member}}`);
    expect(told.map((line) => line.slice(line.indexOf(" ") + 1))).toEqual([expected]);
  });

  test("an unknown key is told where it stands, not where its object begins", () => {
    expect(problems('{"format": 1,\n "name": "x",\n  "include": ["a"],\n   "colour": 1}')[0]).toMatch(
      /^4:4 colour: unknown key; known are /,
    );
  });

  test.each([
    ["", "1:1 : is empty"],
    ['{"format": 1,}', "1:14 : a property name in quotes is missing here"],
    ['{"format": 1 /* no */}', "1:14 format: JSON has no comments"],
    ['{\n"name": "a",\n"name": "b"}', "3:1 name: stands twice"],
    ['{"format": 1} {}', "1:15 : nothing may follow the end"],
  ])("%j is refused as JSON", (text, expected) => {
    expect(problems(text)).toContain(expected);
  });

  test("__proto__ is a key like any other, and unknown", () => {
    expect(problems('{"format":1,"name":"x","include":["a"],"__proto__":{"exclude":["b"]}}')[0]).toMatch(
      /__proto__: unknown key/,
    );
  });

  test("the published JSON Schema is current (node scripts/write-recipe-schema.ts writes it)", () => {
    const published = readFileSync(new URL("../../generations/recipe.schema.json", import.meta.url), "utf8");
    expect(JSON.parse(published)).toEqual(recipeJsonSchema());
  });

  test("the project's own recipe is valid and names its schema", () => {
    const bytes = readFileSync(new URL("../../generations/worker.json", import.meta.url));
    const { recipe } = parseRecipe("generations/worker.json", bytes);
    expect(recipe).toMatchObject({
      $schema: "./recipe.schema.json",
      name: "worker",
      entrypoints: { cli: "dist/surface/cli/main.js", owner: "dist/owner/main.js" },
    });
  });
});

describe("selectFiles", () => {
  const taken = (include: string[], exclude: string[], paths: string[]) => {
    const selection = selectFiles({ include, exclude, dependenciesAsIs: false });
    const parents = (path: string) =>
      path
        .split("/")
        .slice(1)
        .map((_, index, all) =>
          path
            .split("/")
            .slice(0, all.length - index)
            .join("/"),
        );
    return paths.filter(
      (path) => parents(path).every((folder) => selection.descends(folder)) && selection.takes(path),
    );
  };

  test.each([
    [["dist"], [], ["dist/a.js", "dist/b/c.js", "dist/.hidden"], ["distant/a.js", "src/dist/x"]],
    [["dist/"], [], ["dist/a.js"], ["dist.js"]],
    [
      ["dist/**"],
      ["dist/**/*.d.ts", "dist/test"],
      ["dist/a.js", "dist/x/a.js"],
      ["dist/a.d.ts", "dist/x/a.d.ts", "dist/test/a.js"],
    ],
    [
      ["**/*.json"],
      [],
      ["a.json", "x/y/b.json"],
      ["generations/worker.json", "generations/worker/1.json", "generation.json", "a.js"],
    ],
    [["*"], [], ["a", "b/c", ".env"], []],
    [
      ["**"],
      [],
      ["a"],
      ["node_modules/x/a", "packages/p/node_modules/x/a", "generations/recipe.schema.json"],
    ],
    [
      ["generations"],
      [],
      ["generations/notes.md"],
      ["generations/worker.json", "generations/worker/notes.md"],
    ],
    [["{a,b}/*.js"], [], ["a/x.js", "b/y.js"], ["c/x.js", "a/b/x.js"]],
    [["File"], [], ["File"], ["file"]],
  ])("include %j, exclude %j", (include, exclude, yes, no) => {
    expect(taken(include, exclude, [...yes, ...no])).toEqual(yes);
  });

  test("a pattern that only matches what is left out counts as unmatched", () => {
    const selection = selectFiles({ include: ["a", "b", "c"], exclude: ["b"], dependenciesAsIs: false });
    for (const path of ["a/1", "b/1"]) selection.takes(path);
    expect(selection.unmatched()).toEqual([1, 2]);
  });
});

test.each([
  ["entrypoint", "entrypoints"],
  ["pth", "path"],
  ["ktx", null],
  ["completely-different", null],
])("nearestWord(%s) is %s", (word, expected) => {
  expect(nearestWord(word, ["entrypoints", "path", "include"])).toBe(expected);
});
