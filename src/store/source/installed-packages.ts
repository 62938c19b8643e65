/**
 * Compares what npm installed with what the lockfile records, package by package: the check
 * after a build that what was promised is what is there.
 */
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import type { Disagreement, LockedPackage, Lockfile } from "./lockfile.ts";
import { manifestDifferences, parseManifest } from "./package-manifest.ts";
import type { PlannedEntry } from "./planned-entry.ts";

export function checkInstalled(
  fs: Pick<FileSystem, "readFileSync">,
  folder: string,
  entries: Iterable<PlannedEntry>,
  lockfile: Lockfile,
): Disagreement[] {
  const locked = new Map(lockfile.packages.map((one) => [one.path, one]));
  const unknown: Disagreement[] = [];
  for (const { path } of entries) {
    const [, installed] = PACKAGE.exec(path) ?? [];
    if (installed === undefined || locked.has(installed)) continue;
    unknown.push({ what: `${installed} was installed but is not in ${lockfile.file}`, mend: AGAIN });
  }
  return [...unknown, ...lockfile.packages.flatMap((one) => checkOne(fs, folder, one))];
}

/** The manifest of an installed package, and so not one of a folder inside it. */
const PACKAGE = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@.][^/]*)\/package\.json$/;

const AGAIN = "rm -rf node_modules package-lock.json && npm install";

function checkOne(
  fs: Pick<FileSystem, "readFileSync">,
  folder: string,
  locked: LockedPackage,
): Disagreement[] {
  const manifest = manifestAt(fs, `${folder}/${locked.path}/package.json`);
  if (manifest === null) {
    const mayBeMissing = locked.optional === true || locked.devOptional === true;
    return mayBeMissing
      ? []
      : [{ what: `${locked.path} is in the lockfile but was not installed`, mend: AGAIN }];
  }
  const parsed = parseManifest(manifest);
  if (parsed.kind === "malformed")
    return [{ what: `${locked.path}/package.json ${parsed.why}`, mend: AGAIN }];
  const mend = `npm uninstall ${locked.name} && npm install ${locked.name}`;
  return manifestDifferences(locked.name, parsed.manifest, locked).map((what) => ({
    what: `${locked.path}: ${what}`,
    mend,
  }));
}

function manifestAt(fs: Pick<FileSystem, "readFileSync">, path: string): Buffer | null {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return null;
    throw error;
  }
}
