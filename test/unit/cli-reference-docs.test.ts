import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cliReference } from "../../scripts/cli-reference.ts";
import { errorReference } from "../../scripts/error-reference.ts";
import { OUTPUT_SCHEMAS } from "../../src/operations/schemas/output-schemas.ts";
import { COMMANDS } from "../../src/surface/cli/command-table.ts";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

describe("generated pages", () => {
  it("docs/cli.md is what the command table and the schemas say (npm run docs)", () => {
    expect(page("cli.md")).toBe(cliReference());
  });

  it("docs/errors.md is what the error catalogue says (npm run docs)", () => {
    expect(page("errors.md")).toBe(errorReference());
  });

  it("every schema belongs to a command, and every command but run has one", () => {
    const named = COMMANDS.flatMap(({ outputs }) => outputs.map(({ schema }) => schema));
    expect(named.sort()).toEqual(Object.keys(OUTPUT_SCHEMAS).sort());
    expect(COMMANDS.filter(({ outputs }) => outputs.length === 0).map(({ name }) => name)).toEqual(["run"]);
  });
});
