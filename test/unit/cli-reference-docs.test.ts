import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cliReference, outputSchema } from "../../scripts/cli-reference.ts";
import { errorReference } from "../../scripts/error-reference.ts";
import type { OperationRow } from "../../src/operations/ledger/operation-row.ts";
import { LEDGER_OPERATIONS } from "../../src/operations/ledger/operation-table.ts";
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

  it("every schema belongs to a command, and every command that prints data has one", () => {
    const named = COMMANDS.flatMap(({ outputs }) => outputs.map(({ schema }) => schema));
    expect(Object.keys(OUTPUT_SCHEMAS).filter((schema) => !named.includes(schema))).toEqual([]);
    expect(named.filter((schema) => outputSchema(schema) === undefined)).toEqual([]);
    expect(COMMANDS.filter(({ outputs }) => outputs.length === 0).map(({ name }) => name)).toEqual([
      "run",
      "owner run",
    ]);
  });

  it("every operation of the ledger that has words has a command, under its own name", () => {
    const names = COMMANDS.map(({ name }) => name);
    const rows = Object.entries<OperationRow>(LEDGER_OPERATIONS);
    expect(rows.filter(([key, { name }]) => key !== name)).toEqual([]);
    const wanted = rows.filter(([, { fields }]) => fields !== null).map(([key]) => key);
    expect(wanted.filter((key) => !names.includes(key))).toEqual([]);
    expect(names.filter((name) => name.split(" ").length > 2)).toEqual([]);
    expect(names).toEqual([...new Set(names)]);
  });
});
