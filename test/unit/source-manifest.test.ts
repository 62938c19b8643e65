/** What counts as a difference between two manifests of one package. */
import { describe, expect, test } from "vitest";
import {
  manifestDifferences,
  type PackageManifest,
  parseManifest,
} from "../../src/store/source/package-manifest.ts";

const manifestOf = (value: unknown): PackageManifest => {
  const parsed = parseManifest(Buffer.from(JSON.stringify(value)));
  if (parsed.kind === "malformed") throw new Error(parsed.why);
  return parsed.manifest;
};

describe("manifestDifferences", () => {
  test.each([
    ["a lone program is named after the package", { bin: "./x/../cli.js" }, { bin: { p: "cli.js" } }],
    [
      "paths of programs are normalized",
      { bin: { a: "./a.js", "../b": "b.js" } },
      { bin: { a: "a.js", b: "b.js" } },
    ],
    ["a version may begin with v", { version: "v1.2.3" }, { version: "1.2.3" }],
    [
      "what is both optional and not is optional",
      { dependencies: { a: "1", b: "1" }, optionalDependencies: { b: "1" } },
      { dependencies: { a: "1" }, optionalDependencies: { b: "1" } },
    ],
    ["programs in a folder are npm's affair", { directories: { bin: "bin" } }, { bin: { a: "bin/a" } }],
  ])("%s", (_, manifest, record) => {
    const version = { version: "1.2.3" };
    expect(
      manifestDifferences("p", manifestOf({ ...version, ...manifest }), { ...version, ...record }),
    ).toEqual([]);
  });

  test("each difference is named, prototype members are no entries", () => {
    const manifest = manifestOf({ version: "1.0.1", dependencies: { toString: "1" }, bin: { a: "a.js" } });
    expect(manifestDifferences("@s/p", manifest, { version: "1.0.0", bin: { a: "b.js" } })).toEqual([
      "version: the package says 1.0.1, the lockfile 1.0.0",
      "dependencies.toString: the package says 1, the lockfile nothing",
      "bin.a: the package says a.js, the lockfile b.js",
    ]);
  });

  test("a scoped package's lone program is named after its last part", () => {
    expect(
      manifestDifferences("@s/p", manifestOf({ version: "1.0.0", bin: "c.js" }), {
        version: "1.0.0",
        bin: { p: "c.js" },
      }),
    ).toEqual([]);
  });
});
