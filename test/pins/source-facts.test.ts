/** What the rules of the house look for is found where it was planted, and only there. */
import ts from "typescript";
import { expect, test } from "vitest";
import { ambientUses, headerOf, longFunctions } from "./source-facts.ts";

const parse = (text: string) => ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2023, true);

test("each use of the clock, timers, randomness, the console and the process is found", () => {
  const uses = [
    "Date.now()",
    "new Date()",
    "Math.random()",
    "setTimeout(f, 1)",
    "setInterval(f, 1)",
    "setImmediate(f)",
    "process.env.HOME",
    "process.exit(1)",
    "process.cwd()",
    "console.log(1)",
    "performance.now()",
  ];
  const missed = uses.filter((use) => ambientUses(parse(`const x = () => ${use};`)).length === 0);
  expect(missed).toEqual([]);
  expect(ambientUses(parse('import { env } from "node:process";'))).toHaveLength(1);
  expect(ambientUses(parse('import { setTimeout as wait } from "node:timers/promises";'))).toHaveLength(1);
});

test("words in strings and comments, dates from numbers and ports of the same name are not found", () => {
  expect(
    ambientUses(
      parse(`
        // Date.now() is not read here.
        export const text = "process.env";
        export const at = (now: number) => new Date(now).toISOString();
        export const home = (process: { env: { HOME: string } }) => process.env.HOME;
        export const run = ({ console }: { console: { log(): void } }) => console.log();
      `),
    ),
  ).toEqual([]);
});

test("a function is measured without the functions in it", () => {
  const inner = "function inner() {\n\n\n\n\n\n}\n";
  expect(longFunctions(parse(`function outer() {\n${inner}${inner}}\n`), 7)).toEqual([]);
  expect(longFunctions(parse(`function outer() {\n${"\n".repeat(6)}}\n`), 7)).toEqual([
    "a.ts:1 outer (8 lines)",
  ]);
  expect(longFunctions(parse(`function outer() {\n${inner}}\n`), 6)).toEqual(["a.ts:2 inner (7 lines)"]);
});

test("a header is a comment before all else", () => {
  expect(headerOf("/** What it is. */\nimport 1;")).toContain("What it is.");
  expect(headerOf('import { a } from "b";\n/** Too late. */')).toBe("");
});
