/**
 * Which libraries an interpreter needs from outside a generation, and which of them are foreign.
 *
 * A generation may lean on the operating system's C and C++ runtime and on nothing else (STORE-4):
 * a library of Homebrew or Nix, or one more package of the distribution, can be upgraded or
 * collected under live workers. Names and folders are both on an allow-list.
 */
import type { RunCommand } from "./run-command.ts";

/** `name` as the binary asks for it; `path` where the loader found it, null where it did not. */
export interface LinkedLibrary {
  readonly name: string;
  readonly path: string | null;
}

export type LinkedLibraries =
  | { readonly kind: "known"; readonly libraries: readonly LinkedLibrary[] }
  | { readonly kind: "unknown"; readonly why: string };

export async function linkedLibraries(
  run: RunCommand,
  platform: string,
  binary: string,
): Promise<LinkedLibraries> {
  const [file, args] = platform === "darwin" ? ["otool", ["-L", binary]] : ["ldd", [binary]];
  const env = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" };
  const result = await run({ file, args, cwd: "/", env, timeoutMs: 10_000 });
  if (result.kind !== "exited") return { kind: "unknown", why: `${file} ${result.why}` };
  const output = result.stdout + result.stderr;
  if (platform !== "darwin" && NOT_DYNAMIC.test(output)) return { kind: "known", libraries: [] };
  if (result.code !== 0) return { kind: "unknown", why: `${file} failed: ${output.trim().slice(0, 200)}` };
  return {
    kind: "known",
    libraries: platform === "darwin" ? parseOtool(result.stdout) : parseLdd(result.stdout),
  };
}

/** Those beyond the system's C and C++ runtime. */
export function foreignLibraries(platform: string, libraries: readonly LinkedLibrary[]): LinkedLibrary[] {
  return libraries.filter(platform === "darwin" ? isForeignOnMac : isForeignOnLinux);
}

/**
 * The lines of `ldd`: `libm.so.6 => /lib/libm.so.6 (0x…)`, `libx.so => not found`,
 * `/lib64/ld-linux-x86-64.so.2 (0x…)`, `linux-vdso.so.1 (0x…)`.
 */
export function parseLdd(output: string): LinkedLibrary[] {
  return output.split("\n").flatMap((line) => {
    const [, name, path] = /^\s*(\S+)(?:\s+=>\s+(\S.*?))?(?:\s+\(0x[0-9a-f]+\))?\s*$/.exec(line) ?? [];
    if (name === undefined) return [];
    if (path !== undefined) return [{ name: baseName(name), path: path.startsWith("/") ? path : null }];
    return [{ name: baseName(name), path: name.startsWith("/") ? name : null }];
  });
}

/** The lines of `otool -L` after its first: `	/usr/lib/libSystem.B.dylib (compatibility version …)`. */
export function parseOtool(output: string): LinkedLibrary[] {
  return output
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, path] = /^\s+(\S.*?) \(compatibility version /.exec(line) ?? [];
      return path === undefined ? [] : [{ name: baseName(path), path }];
    });
}

const NOT_DYNAMIC = /not a dynamic executable|statically linked|Not a valid dynamic program/;

// The kernel's own page has no file.
const KERNEL = /^linux-(vdso|gate)\.so\.1$/;

const SYSTEM_NAMES =
  /^(lib(dl|m|pthread|rt|c|gcc_s|atomic|stdc\+\+)\.so\.\d+|ld-linux[\w-]*\.so\.\d|ld64\.so\.\d|libc\.musl-\w+\.so\.1|ld-musl-\w+\.so\.1)$/;

const SYSTEM_FOLDERS = /^(\/usr)?\/lib(32|64)?(\/[a-z0-9_]+-linux-(gnu|musl)[a-z0-9]*)?$/;

function isForeignOnLinux({ name, path }: LinkedLibrary): boolean {
  if (KERNEL.test(name) && path === null) return false;
  if (path === null || !SYSTEM_NAMES.test(name)) return true;
  return path.includes("/../") || !SYSTEM_FOLDERS.test(path.slice(0, path.lastIndexOf("/")));
}

// Both folders are sealed by macOS: nothing but an upgrade of the system changes what is in them.
const MAC_LIBRARIES =
  /^(\/usr\/lib\/lib(System\.B|c\+\+(abi)?\.1|c\+\+abi|objc\.A)\.dylib|\/System\/Library\/Frameworks\/[\w./]+)$/;

function isForeignOnMac({ path }: LinkedLibrary): boolean {
  return path === null || path.includes("..") || !MAC_LIBRARIES.test(path);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
