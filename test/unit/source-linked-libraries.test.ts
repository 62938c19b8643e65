/** What an interpreter may lean on, from real outputs of ldd and otool. */
import { describe, expect, test } from "vitest";
import { foreignLibraries, parseLdd, parseOtool } from "../../src/store/source/linked-libraries.ts";

const foreign = (platform: string, output: string) =>
  foreignLibraries(platform, platform === "darwin" ? parseOtool(output) : parseLdd(output)).map(
    ({ name, path }) => path ?? `${name} (not found)`,
  );

describe("Linux", () => {
  test("the binary of nodejs.org on glibc leans on the system alone", () => {
    const output = `	linux-vdso.so.1 (0x00007ffd4a5f2000)
	libdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f6919a4f000)
	libstdc++.so.6 => /lib/x86_64-linux-gnu/libstdc++.so.6 (0x00007f6919800000)
	libm.so.6 => /usr/lib64/libm.so.6 (0x00007f6919720000)
	libgcc_s.so.1 => /lib/x86_64-linux-gnu/libgcc_s.so.1 (0x00007f6919a2f000)
	libpthread.so.0 => /lib/aarch64-linux-gnu/libpthread.so.0 (0x00007f6919a2a000)
	libatomic.so.1 => /lib64/libatomic.so.1 (0x00007f6919a2a000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f691953e000)
	/lib64/ld-linux-x86-64.so.2 (0x00007f6919a67000)
`;
    expect(parseLdd(output)).toHaveLength(9);
    expect(foreign("linux", output)).toEqual([]);
  });

  test("Alpine's C library and its loader are the system", () => {
    const output = `	/lib/ld-musl-x86_64.so.1 (0x7f25b6d6c000)
	libstdc++.so.6 => /usr/lib/libstdc++.so.6 (0x7f25b0a00000)
	libc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7f25b6d6c000)
`;
    expect(foreign("linux", output)).toEqual([]);
  });

  test("Nix's C library is foreign for its folder, although its name is known", () => {
    const output = `	libc.so.6 => /nix/store/abc-glibc-2.40/lib/libc.so.6 (0x00007f0000000000)
	/nix/store/abc-glibc-2.40/lib/ld-linux-x86-64.so.2 => /nix/store/abc-glibc-2.40/lib64/ld-linux-x86-64.so.2 (0x00007f0000200000)
`;
    expect(foreign("linux", output)).toEqual([
      "/nix/store/abc-glibc-2.40/lib/libc.so.6",
      "/nix/store/abc-glibc-2.40/lib64/ld-linux-x86-64.so.2",
    ]);
  });

  test("a library of the distribution is foreign for its name, although its folder is known", () => {
    const output = `	libnode.so.115 => /lib/x86_64-linux-gnu/libnode.so.115 (0x00007f0000000000)
	libuv.so.1 => /usr/lib/libuv.so.1 (0x00007f0000100000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f0000300000)
	libgone.so.3 => not found
`;
    expect(foreign("linux", output)).toEqual([
      "/lib/x86_64-linux-gnu/libnode.so.115",
      "/usr/lib/libuv.so.1",
      "libgone.so.3 (not found)",
    ]);
  });

  test.each([
    "/usr/local/lib/libm.so.6",
    "/home/me/lib/libm.so.6",
    "/lib/../tmp/libm.so.6",
    "/lib/tls/x/libm.so.6",
  ])("a known name at %s is foreign", (path) =>
    expect(foreign("linux", `	libm.so.6 => ${path} (0x0000700000000000)\n`)).toEqual([path]),
  );
});

describe("macOS", () => {
  test("the binary of nodejs.org leans on the system alone", () => {
    const output = `/opt/node/bin/node:
	/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation (compatibility version 150.0.0, current version 1971.0.0)
	/System/Library/Frameworks/Security.framework/Versions/A/Security (compatibility version 1.0.0, current version 61040.62.1)
	/usr/lib/libSystem.B.dylib (compatibility version 1.0.0, current version 1319.100.3)
	/usr/lib/libc++.1.dylib (compatibility version 1.0.0, current version 1300.36.0)
`;
    expect(parseOtool(output)).toHaveLength(4);
    expect(foreign("darwin", output)).toEqual([]);
  });

  test("Homebrew's libraries, and those found relative to something, are foreign", () => {
    const output = `/opt/homebrew/bin/node:
	@rpath/libnode.127.dylib (compatibility version 0.0.0, current version 0.0.0)
	/opt/homebrew/opt/libuv/lib/libuv.1.dylib (compatibility version 2.0.0, current version 2.0.0)
	/usr/lib/libSystem.B.dylib (compatibility version 1.0.0, current version 1336.0.0)
`;
    expect(foreign("darwin", output)).toEqual([
      "@rpath/libnode.127.dylib",
      "/opt/homebrew/opt/libuv/lib/libuv.1.dylib",
    ]);
  });
});
