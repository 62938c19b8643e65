/**
 * The parts of a `package.json` that decide what npm installs, read from files that others wrote,
 * and in the form in which npm's lockfile repeats them.
 */
import { posix } from "node:path";
import { z } from "zod";

const versions = z.record(z.string(), z.string());

const manifestSchema = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  dependencies: versions.optional(),
  optionalDependencies: versions.optional(),
  devDependencies: versions.optional(),
  peerDependencies: versions.optional(),
  peerDependenciesMeta: z.record(z.string(), z.unknown()).optional(),
  overrides: z.unknown().optional(),
  bundleDependencies: z.unknown().optional(),
  bundledDependencies: z.unknown().optional(),
  workspaces: z.unknown().optional(),
  bin: z.union([z.string(), versions]).optional(),
  directories: z.looseObject({ bin: z.string().optional() }).optional().catch(undefined),
});

export type PackageManifest = z.infer<typeof manifestSchema>;

export type ParsedManifest =
  | { readonly kind: "manifest"; readonly manifest: PackageManifest }
  /** `why` is a sentence without its subject. */
  | { readonly kind: "malformed"; readonly why: string };

export function parseManifest(bytes: Uint8Array): ParsedManifest {
  let value: unknown;
  try {
    value = JSON.parse(
      Buffer.from(bytes)
        .toString("utf8")
        .replace(/^\ufeff/, ""),
    );
  } catch {
    return { kind: "malformed", why: "is not JSON" };
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return { kind: "manifest", manifest: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    kind: "malformed",
    why: `is malformed at ${issue?.path.join(".") || "its root"}: ${issue?.message}`,
  };
}

/** A manifest as the lockfile repeats it: what of it can disagree. */
export interface ManifestRecord {
  readonly version?: string | undefined;
  readonly dependencies?: Readonly<Record<string, string>> | undefined;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
  readonly bin?: Readonly<Record<string, string>> | undefined;
}

/** Each difference in words: `dependencies.left-pad: the package says ^2.0.0, the lockfile ^1.0.0`. */
export function manifestDifferences(
  name: string,
  manifest: PackageManifest,
  record: ManifestRecord,
): string[] {
  const said = {
    version: (manifest.version ?? "").trim().replace(/^[v=]+/, ""),
    recorded: record.version ?? "",
  };
  return [
    ...(said.version === said.recorded
      ? []
      : [`version: the package says ${said.version || "none"}, the lockfile ${said.recorded || "none"}`]),
    ...mapDifferences("dependencies", hardDependencies(manifest), hardDependencies(record)),
    ...mapDifferences("optionalDependencies", manifest.optionalDependencies, record.optionalDependencies),
    ...(manifest.bin === undefined && manifest.directories?.bin !== undefined
      ? []
      : mapDifferences("bin", normalBin(name, manifest.bin), normalBin(name, record.bin))),
  ];
}

export function mapDifferences(
  kind: string,
  said: Readonly<Record<string, string>> = {},
  recorded: Readonly<Record<string, string>> = {},
  words: readonly [string, string] = ["the package says", "the lockfile"],
): string[] {
  const names = [...new Set([...Object.keys(said), ...Object.keys(recorded)])].sort();
  return names.flatMap((name) => {
    const [a, b] = [own(said, name)?.trim(), own(recorded, name)?.trim()];
    return a === b ? [] : [`${kind}.${name}: ${words[0]} ${a ?? "nothing"}, ${words[1]} ${b ?? "nothing"}`];
  });
}

/** npm takes a package that is listed as both for an optional one. */
export function hardDependencies({
  dependencies,
  optionalDependencies,
}: Pick<ManifestRecord, "dependencies" | "optionalDependencies">): Record<string, string> {
  const optional = optionalDependencies ?? {};
  return Object.fromEntries(
    Object.entries(dependencies ?? {}).filter(([name]) => own(optional, name) === undefined),
  );
}

/** As npm normalizes it: a lone path is named after the package, and paths cannot leave it. */
function normalBin(name: string, bin: PackageManifest["bin"]): Record<string, string> {
  const named = typeof bin === "string" ? { [name]: bin } : (bin ?? {});
  return Object.fromEntries(
    Object.entries(named).flatMap(([command, path]) => {
      const base = posix.join("/", command.replace(/^.*[\\/:]/, "")).slice(1);
      const target = posix.join("/", path.replace(/\\/g, "/")).slice(1);
      return base === "" || target === "" ? [] : [[base, target]];
    }),
  );
}

function own(map: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
