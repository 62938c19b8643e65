/**
 * npm's lockfile (`package-lock.json`, versions 2 and 3), and whether it agrees with the manifest.
 *
 * npm installs what the lockfile says, also where that is obsolete: a dependency that was added to
 * package.json, or a local tarball that was packed anew under the same version, can then be
 * missing from the runtime. So each disagreement is refused, with the command that mends it.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { z } from "zod";
import { CodedError } from "../../kernel/errors.ts";
import { treePath } from "./generation-file-schema.ts";
import { hardDependencies, mapDifferences, type PackageManifest } from "./package-manifest.ts";

const versions = z.record(z.string(), z.string()).optional();

const lockedSchema = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  resolved: z.union([z.string(), z.boolean()]).optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  devOptional: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  extraneous: z.boolean().optional(),
  dependencies: versions,
  optionalDependencies: versions,
  devDependencies: versions,
  peerDependencies: versions,
  bin: versions,
  os: z.unknown().optional(),
  cpu: z.unknown().optional(),
  libc: z.unknown().optional(),
});

const lockfileSchema = z.looseObject({
  lockfileVersion: z.union([z.literal(2), z.literal(3)]),
  packages: z.record(z.string(), lockedSchema),
});

export interface LockedPackage extends z.infer<typeof lockedSchema> {
  /** `node_modules/a/node_modules/b` */
  readonly path: string;
  /** The name that it is installed under. */
  readonly name: string;
}

export interface Lockfile {
  /** As people know it: its path in the source. */
  readonly file: string;
  readonly bytes: Buffer;
  /** Plain SHA-256 of its bytes. */
  readonly digest: string;
  readonly root: z.infer<typeof lockedSchema>;
  /** What a production install may hold. */
  readonly packages: readonly LockedPackage[];
  /** Whether another platform would install other packages. */
  readonly isPlatformBound: boolean;
}

/** What does not agree, and the command after which it does. */
export interface Disagreement {
  readonly what: string;
  readonly mend: string;
}

export const LOCK_ANEW = "npm install --package-lock-only";

/** Throws `recipe_invalid` for what is no lockfile of a version that we know. */
export function parseLockfile(file: string, bytes: Buffer): Lockfile {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch (cause) {
    throw malformed(file, "it is not JSON", cause);
  }
  const parsed = lockfileSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const isVersion = issue?.path[0] === "lockfileVersion";
    throw malformed(
      file,
      isVersion ? "its lockfileVersion is neither 2 nor 3" : `${issue?.path.join(".")}: ${issue?.message}`,
    );
  }
  const packages = Object.entries(parsed.data.packages).flatMap(([path, locked]) => {
    if (path === "" || locked.dev === true || locked.extraneous === true || !isInstalled(path)) return [];
    if (!treePath.safeParse(path).success)
      throw malformed(file, `the path ${JSON.stringify(path)} is not one`);
    return [
      { ...locked, path, name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length) },
    ];
  });
  return {
    file,
    bytes,
    digest: bytesToHex(sha256(bytes)),
    root: parsed.data.packages[""] ?? {},
    packages,
    isPlatformBound: packages.some(({ os, cpu, libc }) => (os ?? cpu ?? libc) !== undefined),
  };
}

/** Everything in which manifest and lockfile disagree, and what a clean build cannot take. */
export function checkLockfile(manifest: PackageManifest, lockfile: Lockfile): Disagreement[] {
  const { file, root } = lockfile;
  const words = ["package.json says", file] as const;
  const kinds = ["optionalDependencies", "devDependencies", "peerDependencies"] as const;
  const differences = [
    ...mapDifferences("dependencies", hardDependencies(manifest), hardDependencies(root), words),
    ...kinds.flatMap((kind) => mapDifferences(kind, manifest[kind], root[kind], words)),
  ];
  return [
    ...differences.map((what) => ({ what, mend: LOCK_ANEW })),
    ...lockfile.packages.flatMap(packageProblem),
  ];
}

/** `recipe_invalid`, naming each disagreement with the command that mends it. */
export function lockfileRefused(file: string, disagreements: readonly Disagreement[]): CodedError {
  const lines = disagreements.slice(0, SHOWN).map(({ what, mend }) => `  ${what}: ${mend}`);
  const more =
    disagreements.length > SHOWN ? [`  and ${disagreements.length - SHOWN} more (--json lists all)`] : [];
  return new CodedError(
    "recipe_invalid",
    [`package.json and ${file} do not agree:`, ...lines, ...more].join("\n"),
    {
      hint: `Run the command beside each, then stage again.`,
      fields: { file, disagreements, changed: false },
    },
  );
}

const SHOWN = 20;

/** The packages that come from a tarball beside the manifest, with its path in the source. */
export function localTarballs(
  lockfile: Lockfile,
): { readonly locked: LockedPackage; readonly path: string }[] {
  return lockfile.packages.flatMap((locked) => {
    const path = fileOf(locked);
    return path === null || locked.link === true ? [] : [{ locked, path }];
  });
}

function packageProblem(locked: LockedPackage): Disagreement[] {
  const { name, path, link, inBundle, integrity } = locked;
  if (link === true) {
    return [
      {
        what: `${path} is a link to the folder ${String(locked.resolved)}, which a build in isolation cannot reach`,
        mend: `npm pack ${String(locked.resolved)} && npm install ./${name.replace(/^@/, "").replace("/", "-")}-*.tgz`,
      },
    ];
  }
  const file = fileOf(locked);
  if (file !== null && !treePath.safeParse(file).success) {
    return [
      {
        what: `${path} comes from ${file}, outside the source`,
        mend: `copy it into the source and npm install it from there`,
      },
    ];
  }
  if (integrity === undefined && inBundle !== true) {
    return [
      {
        what: `${path} has no integrity in the lockfile, so its content could change`,
        mend: `npm pack it, and npm install the tarball`,
      },
    ];
  }
  return [];
}

function fileOf({ resolved }: LockedPackage): string | null {
  return typeof resolved === "string" && resolved.startsWith("file:")
    ? resolved.slice("file:".length).replace(/^\.\//, "")
    : null;
}

/** Other keys are folders of workspaces, which stand for the targets of links. */
function isInstalled(path: string): boolean {
  return path.startsWith("node_modules/");
}

function malformed(file: string, why: string, cause?: unknown): CodedError {
  return new CodedError("recipe_invalid", `The lockfile ${file} is not usable: ${why}.`, {
    cause,
    hint: `Write it anew: ${LOCK_ANEW} --lockfile-version 3`,
    fields: { file, changed: false },
  });
}
