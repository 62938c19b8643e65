import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import type { OperationRow } from "../../src/operations/ledger/operation-row.ts";
import type { Call } from "../../src/surface/cli/call.ts";
import { flagsOf, positionalsOf } from "../../src/surface/cli/ledger/field-form.ts";
import { inputOf } from "../../src/surface/cli/ledger/input-of.ts";

/** One operation with a field of every form, as words and as flags. */
const ROW: OperationRow = {
  name: "thing do",
  kind: "command",
  callers: ["operator"],
  brief: "do it",
  fields: {
    note: { form: "text", placeholder: "NOTE", brief: "b" },
    times: { form: "count", placeholder: "N", brief: "b", position: 1 },
    subject: { form: "text", placeholder: "SUBJECT", brief: "b", position: 0, required: true },
    others: { form: "list", placeholder: "ID,…", brief: "b" },
    leaseMs: { form: "duration", placeholder: "TIME", brief: "b" },
    body: { form: "json", placeholder: "JSON", brief: "b", required: true },
    all: { form: "switch", placeholder: "", brief: "b" },
  },
  examples: [],
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-input-"));
  writeFileSync(join(folder, "good.json"), '{"a": [1]}\n');
  writeFileSync(join(folder, "bad.json"), '{"a": 1,\n  b: 2}');
});
afterAll(() => rmSync(folder, { recursive: true }));

function input(flags: Record<string, unknown>, args: string[]): Record<string, unknown> {
  const host = { cwd: () => folder, readText: (path: string) => readFileSync(path, "utf8") };
  return inputOf(ROW, { flags, args, host } as unknown as Call);
}

function refusal(flags: Record<string, unknown>, args: string[]): string {
  try {
    input(flags, args);
  } catch (error) {
    if (error instanceof CodedError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "accepted";
}

describe("the words of a command of the ledger", () => {
  it("are its fields with a place, in that order, and its flags the others", () => {
    expect(positionalsOf(ROW.fields ?? {})).toEqual([
      { placeholder: "SUBJECT", brief: "b", arity: "one" },
      { placeholder: "N", brief: "b", arity: "optional" },
    ]);
    const flags = flagsOf(ROW.fields ?? {});
    expect(Object.keys(flags)).toEqual(["note", "others", "lease", "body", "all"]);
    expect(flags.body).toMatchObject({ kind: "value", required: true });
    expect(flags.all).toEqual({ kind: "switch", brief: "b" });
  });

  it("become the input, without what was not typed", () => {
    expect(input({ lease: 5000, body: '{"x":null}', all: true, others: ["a", "b"] }, ["s", "3"])).toEqual({
      subject: "s",
      times: 3,
      leaseMs: 5000,
      body: { x: null },
      all: true,
      others: ["a", "b"],
    });
    expect(input({ body: "1" }, ["s"])).toEqual({ subject: "s", body: 1 });
  });

  it("take JSON from a file, and say where it is none", () => {
    expect(input({ body: "@good.json" }, ["s"]).body).toEqual({ a: [1] });
    expect(refusal({ body: "@bad.json" }, ["s"])).toMatch(
      /^invalid_input: --body \(.*bad\.json\) is no JSON: .*line 2 column 3/,
    );
    expect(refusal({ body: "{oops" }, ["s"])).toMatch(/^invalid_input: --body is no JSON: /);
    expect(refusal({ body: "@none.json" }, ["s"])).toMatch(/^not_found: --body names .*none\.json/);
    expect(refusal({ body: "@." }, ["s"])).toMatch(
      /^invalid_input: --body names .* cannot be read \(EISDIR\)/,
    );
  });

  it("in a place are held to their form, and the refusal names the place", () => {
    expect(refusal({ body: "1" }, ["s", "many"])).toBe(
      'invalid_input: N "many" is malformed: a count is a whole number, 0 or more.',
    );
  });

  it.each([
    ["a,b", ["a", "b"]],
    [" a , b", ["a", "b"]],
    ["a", ["a"]],
  ])("a list %j is %j", (text, list) => {
    const { others } = flagsOf(ROW.fields ?? {});
    expect(others?.kind === "value" ? others.parse(text) : null).toEqual(list);
  });

  it.each(["", "a,", ",", "a,,b"])("a list %j has an empty word and is refused", (text) => {
    const { others } = flagsOf(ROW.fields ?? {});
    expect(() => (others?.kind === "value" ? others.parse(text) : null)).toThrow("none of them empty");
  });
});
