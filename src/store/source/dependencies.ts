/**
 * The dependencies of a runtime, as the entries below `node_modules` that its generation gets.
 *
 *   clean   production packages, installed by npm from manifest and lockfile in a folder of their
 *           own; nothing else of the source is in that folder, so nothing else can matter
 *   as-is   what stands in the source's node_modules
 *   none    nothing
 *
 * A clean build is remembered under all that it depends on, so it runs once. The lock is kept
 * until the caller has stored and remembered it; whoever waits then finds the record.
 */
import { dirname } from "node:path";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type CanonicalValue, canonicalBytes } from "../../kernel/canonical-json.ts";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { ListingLeaf } from "../identity/listing.ts";
import { writeNewFile } from "../write-new-file.ts";
import type { AssembledRuntime } from "./assembled-runtime.ts";
import { type BuildLock, calledOff, takeBuildLock } from "./build-lock.ts";
import { forgetBuild, type RecordDeps, recallBuild, rememberBuild } from "./build-record.ts";
import type { Finding } from "./finding.ts";
import { type Host, platformName } from "./host.ts";
import { checkInstalled } from "./installed-packages.ts";
import {
  checkLockfile,
  type Disagreement,
  type Lockfile,
  localTarballs,
  lockfileRefused,
  parseLockfile,
} from "./lockfile.ts";
import { cleanInstall, locateNpm, type Npm } from "./npm.ts";
import { type PackageManifest, parseManifest } from "./package-manifest.ts";
import { createPlan, type Plan } from "./plan.ts";
import type { RunCommand } from "./run-command.ts";
import { excludes } from "./selection.ts";
import { walkFolder } from "./walk.ts";

export interface DependenciesDeps extends RecordDeps {
  readonly host: Host;
  readonly run: RunCommand;
  readonly pause: (ms: number) => Promise<void>;
}

export interface DependencyLayer {
  /** Null where there is nothing. */
  readonly plan: Plan | null;
  readonly findings: readonly Finding[];
  readonly lockfile: { readonly manager: string; readonly digest: string } | null;
  /** Whether another platform would get other files. */
  readonly isPlatformBound: boolean;
  readonly remember: AssembledRuntime["remember"];
  readonly forget: (() => void) | null;
  readonly release: () => Promise<void>;
}

export interface CleanRequest {
  readonly source: string;
  /** Default: npm-shrinkwrap.json where it exists, else package-lock.json. */
  readonly lockfile: string | undefined;
  readonly exclude: readonly string[];
  /** The interpreter that will run them: `v24.1.0` and its binary interface. */
  readonly interpreter: { readonly version: string; readonly abi: string };
  readonly scratch: () => string;
  readonly onBuild: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

export const NO_DEPENDENCIES: DependencyLayer = {
  plan: null,
  findings: [],
  lockfile: null,
  isPlatformBound: false,
  remember: null,
  forget: null,
  release: async () => {},
};

const DEPENDENCIES = "node_modules";

/** How long to wait for another process that builds the same; npm's own bound lies below it. */
const WAIT_MS = 20 * 60_000;

export function dependenciesAsIs(
  { fs }: RecordDeps,
  source: string,
  exclude: readonly string[],
): DependencyLayer {
  if (fs.lstatSync(`${source}/${DEPENDENCIES}`, { throwIfNoEntry: false }) === undefined)
    return NO_DEPENDENCIES;
  const walked = walkFolder({ fs, root: source, below: DEPENDENCIES, selection: without(exclude) });
  return { ...NO_DEPENDENCIES, ...walked, isPlatformBound: true };
}

/** `recipe_invalid` where manifest and lockfile disagree, `build_failed`, `overloaded`. */
export async function cleanDependencies(
  deps: DependenciesDeps,
  request: CleanRequest,
): Promise<DependencyLayer> {
  const inputs = await readInputs(deps, request);
  const { lockfile } = inputs;
  const known = {
    ...NO_DEPENDENCIES,
    lockfile: { manager: "npm", digest: lockfile.digest },
    isPlatformBound: lockfile.isPlatformBound,
  };
  if (lockfile.packages.length === 0) return known;
  const npm = await locateNpm(deps.fs, deps.host, deps.run);
  const key = buildKey(deps.host, npm, request, inputs);
  const forget = () => forgetBuild(deps, key);
  const recalled = recallBuild(deps, key);
  if (recalled !== null) return { ...known, plan: recalled, forget };
  deps.fs.mkdirSync(deps.layout.builds, { recursive: true, mode: 0o700 });
  const lock = await takeBuildLock(deps, {
    path: deps.layout.build(key),
    waitMs: WAIT_MS,
    onWait: () => request.onBuild("waiting for another process that builds the same dependencies"),
    signal: request.signal,
  });
  try {
    const builtMeanwhile = recallBuild(deps, key);
    if (builtMeanwhile !== null) {
      await lock.release();
      return { ...known, plan: builtMeanwhile, forget };
    }
    const built = await build(deps, request, { ...inputs, npm, lock });
    const remember = (leaves: Iterable<ListingLeaf>) => {
      rememberBuild(deps, key, below(DEPENDENCIES, leaves));
      // From here on everybody finds the record; nobody need wait for this process to end.
      void lock.release();
    };
    return { ...known, ...built, remember, release: lock.release };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Inputs {
  /** The parts of package.json that npm acts on; the only ones that the build sees. */
  readonly manifest: Buffer;
  readonly lockfile: Lockfile;
  readonly tarballs: readonly { readonly path: string; readonly bytes: Buffer }[];
}

async function readInputs(
  deps: DependenciesDeps,
  { source, lockfile: named }: CleanRequest,
): Promise<Inputs> {
  const parsed = parseManifest(readNeeded(deps, source, "package.json"));
  if (parsed.kind === "malformed") throw unusable(`package.json ${parsed.why}`);
  const { manifest } = parsed;
  const shrinkwrap = "npm-shrinkwrap.json";
  const isThere = deps.fs.lstatSync(`${source}/${shrinkwrap}`, { throwIfNoEntry: false }) !== undefined;
  const file = named ?? (isThere ? shrinkwrap : "package-lock.json");
  const lockfile = parseLockfile(file, readNeeded(deps, source, file));
  const disagreements = checkLockfile(manifest, lockfile);
  if (disagreements.length > 0) throw lockfileRefused(file, disagreements);
  const tarballs = localTarballs(lockfile).map(({ path, locked }) => ({
    path,
    locked,
    bytes: readNeeded(deps, source, path),
  }));
  if (tarballs.length > 0) {
    // Loaded only here: it brings tar with it, and most lockfiles name no tarball.
    const { checkTarball } = await import("./local-tarball.ts");
    const swapped: Disagreement[] = [];
    for (const { path, bytes, locked } of tarballs)
      swapped.push(...(await checkTarball(path, bytes, locked)));
    if (swapped.length > 0) throw lockfileRefused(file, swapped);
  }
  return { manifest: canonicalBytes(relevantParts(manifest)), lockfile, tarballs };
}

function relevantParts(manifest: PackageManifest): CanonicalValue {
  const { dependencies, optionalDependencies, devDependencies, peerDependencies } = manifest;
  const { peerDependenciesMeta, overrides, bundleDependencies, bundledDependencies } = manifest;
  const parts = {
    dependencies,
    optionalDependencies,
    devDependencies,
    peerDependencies,
    peerDependenciesMeta,
  };
  return {
    ...parts,
    overrides,
    bundleDependencies: bundleDependencies ?? bundledDependencies,
  } as CanonicalValue;
}

function buildKey(
  host: Host,
  npm: Npm,
  { exclude, interpreter }: CleanRequest,
  { manifest, lockfile }: Inputs,
): string {
  const { digest } = lockfile;
  const key = canonicalBytes({
    format: 1,
    manifest: bytesToHex(sha256(manifest)),
    lockfile: digest,
    platform: platformName(host),
    npm: npm.version,
    node: interpreter.version.replace(/^v?(\d+)\..*$/, "$1"),
    abi: interpreter.abi,
    exclude: [...exclude],
  });
  return bytesToHex(sha256(key));
}

interface Build extends Inputs {
  readonly npm: Npm;
  readonly lock: BuildLock;
}

async function build(
  deps: DependenciesDeps,
  request: CleanRequest,
  { manifest, lockfile, tarballs, npm, lock }: Build,
) {
  const { fs, host, run } = deps;
  const folder = request.scratch();
  writeNewFile(fs, `${folder}/package.json`, manifest);
  writeNewFile(fs, `${folder}/package-lock.json`, lockfile.bytes);
  // What was checked is what is installed, whatever becomes of the tarballs in the source.
  for (const [path, bytes] of new Map(tarballs.map(({ path, bytes }) => [path, bytes]))) {
    fs.mkdirSync(dirname(`${folder}/${path}`), { recursive: true, mode: 0o700 });
    writeNewFile(fs, `${folder}/${path}`, bytes);
  }
  request.onBuild(`installing ${lockfile.packages.length} packages with npm ${npm.version}`);
  const { signal: caller, onBuild: onLine } = request;
  const signal = caller === undefined ? lock.signal : AbortSignal.any([caller, lock.signal]);
  await cleanInstall(host, run, { npm, folder, signal, onLine }).catch((error) => {
    if (lock.signal.aborted) throw lock.signal.reason;
    throw caller?.aborted ? calledOff(caller) : error;
  });
  const isThere = fs.lstatSync(`${folder}/${DEPENDENCIES}`, { throwIfNoEntry: false }) !== undefined;
  const all = isThere
    ? walkFolder({ fs, root: folder, below: DEPENDENCIES, selection: without([]) })
    : { plan: createPlan(), findings: [] };
  const wrong = checkInstalled(fs, folder, all.plan, lockfile);
  if (wrong.length > 0) throw lockfileRefused(lockfile.file, wrong);
  if (!isThere || request.exclude.length === 0) return all;
  return walkFolder({ fs, root: folder, below: DEPENDENCIES, selection: without(request.exclude) });
}

/** What of a generation came from its dependencies: no other layer has anything there. */
function* below(folder: string, leaves: Iterable<ListingLeaf>): Generator<ListingLeaf> {
  for (const leaf of leaves) if (leaf.path === folder || leaf.path.startsWith(`${folder}/`)) yield leaf;
}

/**
 * Files that package managers keep for themselves: they hold times, dates and paths of the
 * machine, and no runtime reads them.
 */
const MANAGER_STATE =
  /(^|\/)node_modules\/(\.package-lock\.json|\.modules\.yaml|\.pnpm-workspace-state[^/]*\.json|\.yarn-state\.yml|\.yarn-integrity)$/;

function without(exclude: readonly string[]) {
  const isExcluded = excludes(exclude);
  return {
    descends: (folder: string) => !isExcluded(folder),
    takes: (path: string) => !isExcluded(path) && !MANAGER_STATE.test(path),
  };
}

const INPUT_BYTES = 256 * 1024 * 1024;

function readNeeded({ fs }: RecordDeps, source: string, path: string): Buffer {
  try {
    const size = fs.statSync(`${source}/${path}`).size;
    if (size > INPUT_BYTES) throw unusable(`${path} has ${size} bytes; the bound is ${INPUT_BYTES}`);
    return fs.readFileSync(`${source}/${path}`);
  } catch (error) {
    const code = systemCode(error);
    if (code === null || error instanceof CodedError) throw error;
    throw unusable(`${path} cannot be read (${code})`, error);
  }
}

function unusable(why: string, cause?: unknown): CodedError {
  return new CodedError("recipe_invalid", `The dependencies cannot be built: ${why}.`, {
    cause,
    hint: 'A clean build needs package.json and its lockfile (npm install --package-lock-only); a runtime without dependencies says "dependencies": {"mode": "none"}.',
    fields: { changed: false },
  });
}
