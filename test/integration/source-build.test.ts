/** Clean dependency builds with the real npm, without a network. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import type { AssembledRuntime } from "../../src/store/source/assembled-runtime.ts";
import {
  createSourceWorld,
  npm,
  packTarball,
  type SourceWorld,
  writeTree,
} from "../fixtures/source-world.ts";

let world: SourceWorld;
beforeEach(() => {
  world = createSourceWorld();
});
afterEach(() => world.remove());

const RECIPE = {
  format: 1,
  name: "app",
  include: ["dist"],
  interpreter: "none",
  dependencies: { mode: "clean" },
};
const writeJson = (path: string, value: unknown) =>
  writeFileSync(join(world.source, path), JSON.stringify(value));
const readJson = (path: string) => JSON.parse(readFileSync(join(world.source, path), "utf8"));

/** A project with one dependency `lib` (a program, and a dependency of its own) and one for development. */
function project(recipe: Record<string, unknown> = {}): void {
  const { source } = world;
  packTarball(join(source, "vendor/deep-1.0.0.tgz"), { name: "deep", version: "1.0.0" });
  packTarball(join(source, "vendor/tool-1.0.0.tgz"), { name: "tool", version: "1.0.0" });
  packTarball(
    join(source, "vendor/lib-1.0.0.tgz"),
    {
      name: "lib",
      version: "1.0.0",
      bin: "./cli.js",
      dependencies: { deep: "^1.0.0" },
      scripts: { install: "touch ran" },
    },
    { "cli.js": "#!/usr/bin/env node\r\n", "data/empty": "", "docs/long.md": "text" },
  );
  writeTree(source, { "dist/a.js": "" });
  writeJson("package.json", {
    name: "app",
    version: "1.0.0",
    dependencies: { lib: "file:vendor/lib-1.0.0.tgz", deep: "file:vendor/deep-1.0.0.tgz" },
    devDependencies: { tool: "file:vendor/tool-1.0.0.tgz" },
  });
  npm(source, "install", "--package-lock-only");
  mkdirSync(join(source, "generations"));
  writeJson("generations/app.json", { ...RECIPE, ...recipe });
}

const dependencies = ({ plan }: AssembledRuntime) =>
  [...plan].flatMap(({ kind, path }) => (path.startsWith("node_modules") ? [`${kind} ${path}`] : [])).sort();
const builds = () => world.commands.filter((command) => / ci /.test(command)).length;

async function refusal(assembling: Promise<unknown>): Promise<CodedError> {
  try {
    await assembling;
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("a clean build", () => {
  test("holds production packages with their programs, and neither scripts' work nor npm's state", async () => {
    project();
    writeTree(world.source, { "node_modules/stray/package.json": "{}" });
    const runtime = await world.assemble();
    expect(dependencies(runtime)).toEqual([
      "file node_modules/deep/index.js",
      "file node_modules/deep/package.json",
      "file node_modules/lib/cli.js",
      "file node_modules/lib/data/empty",
      "file node_modules/lib/docs/long.md",
      "file node_modules/lib/index.js",
      "file node_modules/lib/package.json",
      "link node_modules/.bin/lib",
    ]);
    expect([...runtime.plan].find(({ path }) => path === "node_modules/lib/cli.js")).toMatchObject({
      executable: true,
    });
    const lockfile = join(world.source, "package-lock.json");
    const [sum] = spawnSync("sha256sum", [lockfile], { encoding: "utf8" }).stdout.split(" ");
    expect(runtime.generationFile.lockfile).toEqual({ manager: "npm", digest: sum });
    expect(runtime.generationFile.platform).toBeNull();
    await runtime.release?.();
  });

  test("made twice in two stores is the same, to the byte", async () => {
    project();
    const content = async () => {
      const runtime = await world.assemble();
      await runtime.release?.();
      return [...runtime.plan].map((entry) => ({
        ...(entry.kind === "file"
          ? { executable: entry.executable, text: readFileSync(entry.from, "latin1") }
          : {}),
        ...(entry.kind === "link" ? { target: entry.target } : {}),
        path: entry.path,
      }));
    };
    const first = await content();
    rmSync(world.deps.layout.root, { recursive: true });
    mkdirSync(world.deps.layout.root);
    expect(await content()).toEqual(first);
    expect(builds()).toBe(2);
  });

  test("leaves out what the recipe excludes", async () => {
    project({ exclude: ["node_modules/*/docs", "node_modules/.bin"] });
    const runtime = await world.assemble();
    expect(dependencies(runtime).join(" ")).not.toMatch(/docs|\.bin/);
    await runtime.release?.();
  });

  test("is not swayed by the project's or the user's npm settings, nor by NODE_OPTIONS", async () => {
    project();
    const canary = join(world.folder, "canary");
    const userconfig = join(world.folder, "npmrc");
    const settings =
      "omit[]=prod\ninclude[]=dev\nbin-links=false\ninstall-strategy=nested\nignore-scripts=false\ndangerously-allow-all-scripts=true\ndry-run=true\n";
    writeFileSync(userconfig, settings);
    writeFileSync(join(world.source, ".npmrc"), settings);
    writeFileSync(
      join(world.folder, "evil.cjs"),
      `require("fs").writeFileSync(${JSON.stringify(canary)}, "")`,
    );
    const { host } = world.deps;
    const NODE_OPTIONS = `--require=${join(world.folder, "evil.cjs")}`;
    const env = { ...host.env, npm_config_userconfig: userconfig, npm_config_omit: "optional", NODE_OPTIONS };
    const swayed = createSourceWorld({ host: { ...host, env } });
    const plain = await world.assemble();
    const other = await swayed.assemble({ source: world.source });
    expect(dependencies(other)).toEqual(dependencies(plain));
    expect(() => readFileSync(canary)).toThrow("ENOENT");
    await Promise.all([plain.release?.(), other.release?.()]);
    swayed.remove();
  });

  test("that npm cannot make fails typed, with npm's last lines and without its secrets", async () => {
    project();
    const lock = readJson("package-lock.json");
    lock.packages["node_modules/absent"] = {
      version: "1.0.0",
      resolved: "http://me:hunter22@127.0.0.1:9/absent.tgz",
      integrity: `sha512-${Buffer.alloc(64, 1).toString("base64")}`,
    };
    lock.packages[""].dependencies.absent = "1.0.0";
    writeJson("package-lock.json", lock);
    const manifest = readJson("package.json");
    writeJson("package.json", { ...manifest, dependencies: { ...manifest.dependencies, absent: "1.0.0" } });
    const userconfig = join(world.folder, "npmrc");
    writeFileSync(userconfig, "fetch-retries=0\n");
    Object.assign(world.deps.host, { env: { ...process.env, npm_config_userconfig: userconfig } });
    const error = await refusal(world.assemble());
    expect(error.code).toBe("build_failed");
    expect(error.message).toContain("127.0.0.1");
    expect(error.message).toContain("ECONNREFUSED");
    expect(JSON.stringify(error)).not.toContain("hunter22");
    // Once from the cache alone, then once with the network.
    expect(builds()).toBe(2);
    // The lock was given back, so the next try does not wait.
    expect((await refusal(world.assemble())).code).toBe("build_failed");
  });

  test("that is called off ends at once, typed, and gives its lock back", async () => {
    project();
    const caller = new AbortController();
    const onBuild = () => caller.abort();
    const error = await refusal(world.assemble({ signal: caller.signal, onBuild }));
    expect(error.toJSON()).toMatchObject({ code: "build_failed", retryable: true, changed: false });
    expect(error.message).toContain("was called off");
    const runtime = await world.assemble();
    expect(dependencies(runtime)).toContain("file node_modules/lib/cli.js");
    await runtime.release?.();
  });

  test("without npm is refused with the way out", async () => {
    project();
    const { host } = world.deps;
    const bare = createSourceWorld({
      host: { ...host, execPath: "/nowhere/bin/node", env: { PATH: "/nowhere" } },
    });
    const error = await refusal(bare.assemble({ source: world.source }));
    expect(error.code).toBe("build_failed");
    expect(error.message).toContain("No npm was found");
    bare.remove();
  });
});

describe("a remembered build", () => {
  test("is taken from the store's blobs, and no program runs", async () => {
    project();
    const first = await world.assemble({ provenance: { source: "x", commit: null, dirty: null } });
    world.store(first);
    await first.release?.();
    world.commands.length = 0;
    const second = await world.assemble({ provenance: { source: "x", commit: null, dirty: null } });
    expect(world.commands).toEqual([]);
    expect(second.remember).toBeNull();
    const shape = dependencies(first).map((line) => line.replace(/^file /, "blob "));
    // The store shares no empty files, so there is no blob of one.
    const withEmpty = shape.map((line) =>
      /index\.js$|data\/empty$/.test(line) ? line.replace(/^blob /, "bytes ") : line,
    );
    expect(dependencies(second)).toEqual(withEmpty.sort());
    expect(second.generationFile).toEqual(first.generationFile);
  });

  test.each([
    ["a blob of it is gone", () => blobsGone()],
    ["it is forgotten", (runtime: AssembledRuntime) => runtime.forget?.()],
    ["its record is cut off", () => changeRecord((bytes) => bytes.subarray(0, bytes.length - 20))],
    ["a digest in its record is changed", () => changeRecord((bytes) => flipDigest(bytes))],
    [
      "the lockfile changes",
      () => writeJson("package-lock.json", { ...readJson("package-lock.json"), more: 1 }),
    ],
    [
      "overrides are added",
      () => writeJson("package.json", { ...readJson("package.json"), overrides: { unrelated: "1.0.0" } }),
    ],
    [
      "more is excluded",
      () => writeJson("generations/app.json", { ...RECIPE, exclude: ["node_modules/lib/docs"] }),
    ],
  ])("is made again when %s", async (_, change) => {
    project();
    const first = await world.assemble();
    world.store(first);
    await first.release?.();
    const second = await world.assemble();
    expect(builds()).toBe(1);
    change(second);
    const third = await world.assemble();
    expect(builds()).toBe(2);
    await third.release?.();
  });

  test("stays when what no package depends on changes", async () => {
    project();
    const first = await world.assemble();
    world.store(first);
    await first.release?.();
    writeJson("package.json", {
      ...readJson("package.json"),
      scripts: { x: "y" },
      version: "2.0.0",
      description: "new",
    });
    await world.assemble();
    expect(builds()).toBe(1);
  });
});

function records(): string[] {
  const { builds: folder } = world.deps.layout;
  return readdirSync(folder)
    .filter((name) => /^[0-9a-f]{64}$/.test(name))
    .map((name) => join(folder, name));
}

function changeRecord(change: (bytes: Buffer) => Uint8Array): void {
  for (const record of records()) writeFileSync(record, change(readFileSync(record)));
}

function flipDigest(bytes: Buffer): Buffer {
  const at = bytes.indexOf("100644 ") + "100644 ".length;
  bytes[at] = bytes[at] === 0x30 ? 0x31 : 0x30;
  return bytes;
}

function blobsGone(): void {
  const { blobs } = world.deps.layout;
  const [folder] = readdirSync(blobs);
  for (const name of readdirSync(join(blobs, folder!))) unlinkSync(join(blobs, folder!, name));
}

describe("manifest and lockfile that disagree are refused (U30)", () => {
  const refused = async () => {
    const error = await refusal(world.assemble());
    expect(error.code).toBe("recipe_invalid");
    expect(builds()).toBe(0);
    return (error.fields.disagreements as { what: string; mend: string }[]) ?? [];
  };

  test("a dependency that only one of them knows", async () => {
    project();
    const manifest = readJson("package.json");
    writeJson("package.json", {
      ...manifest,
      dependencies: { lib: manifest.dependencies.lib, extra: "^1.0.0" },
    });
    expect((await refused()).map(({ what }) => what)).toEqual([
      "dependencies.deep: package.json says nothing, package-lock.json file:vendor/deep-1.0.0.tgz",
      "dependencies.extra: package.json says ^1.0.0, package-lock.json nothing",
    ]);
  });

  test("a tarball that was packed anew under the same version; the command that is named mends it", async () => {
    project();
    const swapped = { name: "lib", version: "1.0.0", bin: "./cli.js" };
    packTarball(join(world.source, "vendor/lib-1.0.0.tgz"), swapped, { "cli.js": "// new\n" });
    // What people try first does not help: the version is the same, so npm keeps its record.
    npm(world.source, "install", "--package-lock-only");
    const [disagreement, ...others] = await refused();
    expect(others).toEqual([]);
    expect(disagreement?.what).toContain("its integrity differs");
    expect(disagreement?.mend).toBe("npm uninstall lib && npm install ./vendor/lib-1.0.0.tgz");
    for (const command of disagreement!.mend.split(" && ")) npm(world.source, ...command.split(" ").slice(1));
    const runtime = await world.assemble();
    expect(dependencies(runtime)).toContain("file node_modules/lib/cli.js");
    await runtime.release?.();
  });

  test("a tarball whose new integrity was recorded beside its old dependencies", async () => {
    project();
    const file = join(world.source, "vendor/lib-1.0.0.tgz");
    packTarball(file, { name: "lib", version: "1.0.0", dependencies: { deep: "^2.0.0" } });
    const hash = spawnSync("openssl", ["dgst", "-sha512", "-binary", file]).stdout.toString("base64");
    const lock = readJson("package-lock.json");
    lock.packages["node_modules/lib"].integrity = `sha512-${hash}`;
    writeJson("package-lock.json", lock);
    expect((await refused()).map(({ what }) => what)).toEqual([
      "vendor/lib-1.0.0.tgz: dependencies.deep: the package says ^2.0.0, the lockfile ^1.0.0",
      "vendor/lib-1.0.0.tgz: bin.lib: the package says nothing, the lockfile cli.js",
    ]);
  });

  test("a package without integrity, one from outside, and a linked folder", async () => {
    project();
    const lock = readJson("package-lock.json");
    delete lock.packages["node_modules/deep"].integrity;
    lock.packages["node_modules/lib"].resolved = "file:../lib-1.0.0.tgz";
    lock.packages["node_modules/work"] = { resolved: "packages/work", link: true };
    lock.packages["packages/work"] = { version: "1.0.0" };
    writeJson("package-lock.json", lock);
    expect((await refused()).map(({ what }) => what)).toEqual([
      "node_modules/deep has no integrity in the lockfile, so its content could change",
      "node_modules/lib comes from ../lib-1.0.0.tgz, outside the source",
      "node_modules/work is a link to the folder packages/work, which a build in isolation cannot reach",
    ]);
  });

  test.each([
    ["is missing", null, "package-lock.json cannot be read (ENOENT)"],
    ["is no JSON", "{", "it is not JSON"],
    ["is of version 1", '{"lockfileVersion":1,"dependencies":{}}', "its lockfileVersion is neither 2 nor 3"],
    ["has a path that leaves", '{"lockfileVersion":3,"packages":{"node_modules/../../x":{}}}', "is not one"],
  ])("a lockfile that %s", async (_, content, why) => {
    project();
    const file = join(world.source, "package-lock.json");
    if (content === null) unlinkSync(file);
    else writeFileSync(file, content);
    const error = await refusal(world.assemble());
    expect(error.code).toBe("recipe_invalid");
    expect(error.message).toContain(why);
    expect(error.hint).toContain("npm install --package-lock-only");
  });
});

describe("builds that must not run twice", () => {
  test("wait for the one that runs in another process, and take what it made", async () => {
    project();
    const helper = new URL("../fixtures/source-build-once.ts", import.meta.url).pathname;
    const start = () => {
      const child = spawn(process.execPath, [helper, world.source, world.deps.layout.root], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (piece) => {
        output += piece;
      });
      return new Promise<{ built: number; waited: boolean; kinds: string }>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code) =>
          code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`exit ${code}: ${output}`)),
        );
      });
    };
    const results = await Promise.all([start(), start(), start()]);
    expect(results.map(({ built }) => built).sort()).toEqual([0, 0, 1]);
    expect(results.filter(({ kinds }) => kinds.includes("blob"))).toHaveLength(2);
  }, 60_000);
});
