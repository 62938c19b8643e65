/** What the API promises on the wire: each operation has the shape on record, or the version changes with it. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { nextFixture, type WireFixture, wireShapes } from "../../scripts/wire-shapes.ts";
import { API_VERSIONS } from "../../src/kernel/api-version.ts";
import { refuseOtherVersions } from "../../src/owner/api/version-check.ts";
import { codeOf } from "../fixtures/coded-error.ts";

const FOLDER = new URL("../fixtures/wire/", import.meta.url);
const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as WireFixture;
const shapes = wireShapes();

describe("every operation", () => {
  test("has a shape on record, and every record an operation", () => {
    expect(readdirSync(FOLDER).toSorted()).toEqual([...shapes.keys()].toSorted());
  });

  for (const [file, shape] of shapes) {
    test(`${shape.operation} has the shape that is promised (node scripts/write-wire-fixtures.ts)`, () => {
      const { api, ...promised } = read(file);
      expect(shape).toEqual(promised);
      expect(api).toBeLessThanOrEqual(API_VERSIONS[1]);
    });
  }
});

describe("a shape", () => {
  const shape = { operation: "task add", kind: "command", input: { type: "object" }, output: true };
  const promised = { api: 3, ...shape };

  it("that changed keeps the record from being written until the version is raised", () => {
    const changed = { ...shape, input: { type: "object", required: ["title"] } };
    expect(() => nextFixture(promised, changed, 3)).toThrow("task add has another shape");
    expect(nextFixture(promised, changed, 4)).toEqual({ api: 4, ...changed });
  });

  it("that did not change keeps the version that it came with", () => {
    expect(nextFixture(promised, shape, 7)).toEqual(promised);
    expect(nextFixture(null, shape, 7)).toEqual({ api: 7, ...shape });
  });
});

test("two ranges of versions meet where one number is in both", () => {
  const against = (client: string, own: readonly [number, number]) =>
    codeOf(() => refuseOtherVersions(client, { api: own, generation: null }));
  expect([against("1-3", [3, 5]), against("5-9", [3, 5]), against("4-4", [3, 5])]).toEqual([
    null,
    null,
    null,
  ]);
  expect([against("1-2", [3, 5]), against("6-9", [3, 5])]).toEqual(
    Array(2).fill("coordinator_version_mismatch"),
  );
  expect([against("2-1", [3, 5]), against("x", [3, 5]), against("", [3, 5])]).toEqual(
    Array(3).fill("invalid_input"),
  );
});
