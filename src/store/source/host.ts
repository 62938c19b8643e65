/** What sources know of the machine they run on, as values: read once, in a main. */
export interface Host {
  /** Node's names: `linux`, `darwin`; `x64`, `arm64`. */
  readonly platform: string;
  readonly arch: string;
  /** The C library of the running interpreter on Linux; null elsewhere. */
  readonly libc: "glibc" | "musl" | null;
  /** Absolute path of the interpreter that runs. */
  readonly execPath: string;
  /** Of that interpreter: `v24.1.0`. */
  readonly nodeVersion: string;
  /** Its binary interface for native modules: `137`. */
  readonly nodeAbi: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a main knows of itself; Node's `process` is one. */
export interface RunningProcess {
  readonly platform: string;
  readonly arch: string;
  readonly execPath: string;
  readonly version: string;
  readonly versions: { readonly modules: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly report?: { getReport(): object } | undefined;
}

export function hostOf({ platform, arch, execPath, version, versions, env, report }: RunningProcess): Host {
  const libc = platform === "linux" ? libcOf(report) : null;
  return { platform, arch, libc, execPath, nodeVersion: version, nodeAbi: versions.modules, env };
}

/** `linux-x64`, `linux-x64-musl`, `darwin-arm64`: on what a built runtime runs. */
export function platformName({ platform, arch, libc }: Host): string {
  return `${platform}-${arch}${libc === "musl" ? "-musl" : ""}`;
}

/** The variables of `env` that are named, where they are set. */
export function pick(env: Host["env"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Node reports the version of glibc that it runs on; on musl there is none. */
function libcOf(report: RunningProcess["report"]): "glibc" | "musl" {
  const { header } = (report?.getReport() ?? {}) as { header?: { glibcVersionRuntime?: string } };
  return header !== undefined && header.glibcVersionRuntime === undefined ? "musl" : "glibc";
}
