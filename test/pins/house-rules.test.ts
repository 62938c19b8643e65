/** The rules of the house, as far as a program can see them. Each lists what breaks it. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { ambientUses, headerOf, longFunctions, undocumentedFunctions } from "./source-facts.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** Programs and threads: they alone build clocks, timers, random numbers and read the process. */
const MAINS = [
  "src/surface/cli/main.ts",
  "src/surface/cli/run-process.ts",
  "src/store/stage/entry-worker.ts",
  "src/owner/main.ts",
];

// It would find its own patterns.
const THIS_FILE = "test/pins/house-rules.test.ts";

const LEAST_WORDS_OF_A_HEADER = 5;
const MOST_LINES_OF_A_FILE = 400;
const MEDIAN_LINES_OF_A_FILE = 80;
const MOST_LINES_OF_A_FUNCTION = 70;

const find = (...patterns: string[]) => globSync(patterns, { cwd: ROOT }).toSorted();
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const parse = (file: string) => ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2023, true);
const linesOf = (file: string) => read(file).split("\n").length - 1;

const sources = find("src/**/*.ts");
const programs = [...sources, ...find("scripts/**/*.ts", "test/**/*.ts", "*.ts")];

describe("files", () => {
  test("there are some to look at, in src, scripts and test", () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(programs.filter((file) => file.startsWith("test/")).length).toBeGreaterThan(20);
  });

  test(`none has more than ${MOST_LINES_OF_A_FILE} lines`, () => {
    expect(programs.filter((file) => linesOf(file) > MOST_LINES_OF_A_FILE)).toEqual([]);
  });

  test(`half of those in src have fewer than ${MEDIAN_LINES_OF_A_FILE} lines`, () => {
    const lengths = sources.map(linesOf).toSorted((a, b) => a - b);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(MEDIAN_LINES_OF_A_FILE);
  });

  test("all are named in kebab-case", () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config))?\.ts$/;
    expect(programs.filter((file) => !kebab.test(basename(file)))).toEqual([]);
  });

  test("none is a drawer for anything", () => {
    const drawer = /(^|\/)(utils?|helpers?|commons?|misc|types?|shared|lib)(\.ts|\/)/;
    expect(programs.filter((file) => drawer.test(file))).toEqual([]);
  });

  test("each in src begins with a comment that says what it is", () => {
    const words = (file: string) => headerOf(read(file)).split(/\s+/).filter(Boolean).length;
    expect(sources.filter((file) => words(file) < LEAST_WORDS_OF_A_HEADER)).toEqual([]);
  });
});

describe("code", () => {
  test(`no function in src has more than ${MOST_LINES_OF_A_FUNCTION} lines`, () => {
    expect(sources.flatMap((file) => longFunctions(parse(file), MOST_LINES_OF_A_FUNCTION))).toEqual([]);
  });

  test("only mains read the clock, random numbers, timers, the console and the process", () => {
    const others = sources.filter((file) => !MAINS.includes(file));
    expect(others.flatMap((file) => ambientUses(parse(file)))).toEqual([]);
  });

  test("every main that is listed exists", () => {
    expect(MAINS.filter((file) => !sources.includes(file))).toEqual([]);
  });

  test("nothing is exported by default or by a star", () => {
    const found = programs
      .filter((file) => !file.endsWith(".config.ts"))
      .filter((file) =>
        parse(file).statements.some(
          (statement) =>
            ts.isExportAssignment(statement) ||
            (ts.isExportDeclaration(statement) && statement.exportClause === undefined) ||
            (ts.canHaveModifiers(statement) &&
              ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)),
        ),
      );
    expect(found).toEqual([]);
  });

  test("no work is left for later in a comment", () => {
    const texts = [...programs, ...find("bin/*", ".ci/*", "docs/*.md", "*.md", "test/**/*.sh")];
    const left = /\b(TODO|FIXME|XXX|HACK)\b/;
    expect(texts.filter((file) => file !== THIS_FILE && left.test(read(file)))).toEqual([]);
  });
});

describe("tests", () => {
  const tests = find("test/**/*.test.ts").filter((file) => file !== THIS_FILE);
  const matching = (pattern: RegExp) => tests.filter((file) => pattern.test(read(file)));

  test("none is marked to run alone, or to be left out without a condition or a reason", () => {
    expect(
      matching(/\.(only|todo|fails)\s*[(.]|\b(test|it|describe|suite)\.skip\s*[(.]|\.skip\(\s*\)/),
    ).toEqual([]);
  });

  test("none waits for time to pass", () => {
    expect(matching(/await (sleep|delay|wait)\(\d|^import .*node:timers\/promises/m)).toEqual([]);
  });

  test("none replaces a module of ours", () => {
    expect(matching(/\bvi\.(mock|doMock|spyOn|stubGlobal)\(/)).toEqual([]);
  });
});

describe("library", () => {
  test("every function and method that src/store/index.ts exports says what it does", () => {
    expect(undocumentedFunctions(ROOT, "src/store/index.ts")).toEqual([]);
  });
});
