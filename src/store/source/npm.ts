/**
 * npm, as the one package manager that builds: where it is, and a clean install with it.
 *
 * npm reads the user's own npmrc (registry, credentials, proxy, certificates, cache), since
 * without it many people could not install at all. Everything there that would change what gets
 * installed is overruled on the command line, and the environment is an allow-list.
 */
import { posix } from "node:path";
import { z } from "zod";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { type Host, pick } from "./host.ts";
import type { CommandResult, RunCommand } from "./run-command.ts";

export interface Npm {
  /** What to run before npm's own arguments. */
  readonly command: readonly [string, ...string[]];
  readonly version: string;
}

const BUILD_TIMEOUT_MS = 15 * 60_000;

/**
 * The npm that the user would run, else the one beside the interpreter. Its version is read off
 * its files, so that a stage whose build is remembered starts no program. `build_failed` without.
 */
export async function locateNpm(fs: FileSystem, host: Host, run: RunCommand): Promise<Npm> {
  const folders = (host.env.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const onPath = folders.map((folder) => posix.join(folder, "npm"));
  const beside = posix.join(host.execPath, "../../lib/node_modules/npm/bin/npm-cli.js");
  for (const candidate of [...onPath, beside]) {
    const cli = realPath(fs, candidate);
    if (cli === null) continue;
    const version = versionBeside(fs, cli);
    if (version !== null) return { command: [host.execPath, cli], version };
    const shim = await askVersion(host, run, candidate);
    if (shim !== null) return { command: [candidate], version: shim };
  }
  throw new CodedError("build_failed", "No npm was found, on PATH or beside the interpreter.", {
    hint: "Install npm, or take the dependencies as they are with the recipe's dependencies: as-is.",
    fields: { changed: false },
  });
}

export interface CleanInstall {
  readonly npm: Npm;
  /** Holds package.json and package-lock.json; gets node_modules. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
}

/** Installs what the lockfile says, from npm's cache where that suffices. `build_failed`. */
export async function cleanInstall(host: Host, run: RunCommand, request: CleanInstall): Promise<void> {
  const offline = await runInstall(host, run, request, "--offline");
  if (isDone(offline)) return;
  if (!/\bENOTCACHED\b/.test(offline.stderr)) throw buildFailed(offline);
  const online = await runInstall(host, run, request, "--prefer-offline");
  if (!isDone(online)) throw buildFailed(online);
}

/** `request`'s settings that decide what is installed; each overrules the user's. */
function installArguments({ platform, arch, libc }: Host): string[] {
  return [
    "ci",
    "--omit=dev",
    "--include=prod",
    "--include=optional",
    "--include=peer",
    "--ignore-scripts",
    "--install-strategy=hoisted",
    "--install-links=false",
    "--bin-links=true",
    "--legacy-peer-deps=false",
    "--workspaces=false",
    "--global=false",
    "--package-lock=true",
    "--package-lock-only=false",
    "--dry-run=false",
    "--force=false",
    `--os=${platform}`,
    `--cpu=${arch}`,
    ...(libc === null ? [] : [`--libc=${libc}`]),
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--no-update-notifier",
    "--color=false",
    "--loglevel=warn",
  ];
}

function runInstall(
  host: Host,
  run: RunCommand,
  { npm, folder, signal, onLine }: CleanInstall,
  mode: "--offline" | "--prefer-offline",
): Promise<CommandResult> {
  const [file, ...first] = npm.command;
  const args = [...first, ...installArguments(host), mode];
  return run({
    file,
    args,
    cwd: folder,
    env: installEnvironment(host),
    timeoutMs: BUILD_TIMEOUT_MS,
    signal,
    onLine,
  });
}

const PASSED = [
  "PATH",
  "HOME",
  "USER",
  "TMPDIR",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  // The names that people's npmrc files take their credentials from.
  "NPM_TOKEN",
  "NODE_AUTH_TOKEN",
];

/** npm's own settings that say where packages come from, and nothing of what becomes of them. */
const PASSED_SETTINGS =
  /^npm_config_(cache|userconfig|globalconfig|registry|cafile|ca|proxy|https_proxy|noproxy|strict_ssl|(@[\w.-]+:registry)|(\/\/.+))$/i;

function installEnvironment(host: Host): Record<string, string> {
  const settings = Object.keys(host.env).filter((name) => PASSED_SETTINGS.test(name));
  return { ...pick(host.env, [...PASSED, ...settings]), LC_ALL: "C" };
}

function isDone(result: CommandResult): boolean {
  return result.kind === "exited" && result.code === 0;
}

function buildFailed(result: CommandResult): CodedError {
  const how = result.kind === "exited" ? `ended with ${result.code}` : result.why;
  const lines = tellingLines(`${result.stderr}\n${result.stdout}`).map((line) => `  ${line}`);
  return new CodedError("build_failed", [`npm ci ${how}:`, ...lines].join("\n"), {
    fields: { manager: "npm", outcome: result.kind, changed: false },
  });
}

const SHOWN_LINES = 8;

/**
 * What of npm's output says why: its first lines name the reason, its last ones what npm advises.
 * The stack in between, and the list of all options after some mistakes, crowd both out.
 */
function tellingLines(output: string): string[] {
  const lines = output.split("\n");
  const usageAt = lines.findIndex((line) => /^npm (error|ERR!) Clean install a project/.test(line));
  const telling = (usageAt < 0 ? lines : lines.slice(0, usageAt)).filter(
    (line) => !/^(npm (error|ERR!))?\s*$|^npm (error|ERR!)\s+at |A complete log of this run/.test(line),
  );
  if (telling.length <= 2 * SHOWN_LINES) return telling;
  return [...telling.slice(0, SHOWN_LINES), "…", ...telling.slice(-SHOWN_LINES)];
}

const packageSchema = z.looseObject({
  name: z.literal("npm"),
  version: z.string().regex(/^\d[\w.+-]{0,64}$/),
});

function versionBeside(fs: FileSystem, cli: string): string | null {
  if (!cli.endsWith("/npm-cli.js")) return null;
  try {
    const text = fs.readFileSync(posix.join(cli, "../../package.json"), "utf8");
    return packageSchema.parse(JSON.parse(text)).version;
  } catch {
    // Not laid out as npm is; it can still be asked.
    return null;
  }
}

async function askVersion(host: Host, run: RunCommand, file: string): Promise<string | null> {
  const env = installEnvironment(host);
  const result = await run({ file, args: ["--version"], cwd: "/", env, timeoutMs: 30_000 });
  const version = result.stdout.trim();
  return isDone(result) && packageSchema.shape.version.safeParse(version).success ? version : null;
}

function realPath(fs: FileSystem, path: string): string | null {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if (systemCode(error) === null) throw error;
    return null;
  }
}
