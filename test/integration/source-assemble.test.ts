/** Folders, recipes and copies of generations, assembled with real git and a real interpreter. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import type { AssembledRuntime } from "../../src/store/source/assembled-runtime.ts";
import {
  createSourceWorld,
  type SourceWorld,
  type TreeContents,
  writeTree,
} from "../fixtures/source-world.ts";

let world: SourceWorld;
beforeEach(() => {
  world = createSourceWorld();
});
afterEach(() => world.remove());

const recipe = (more: Record<string, unknown> = {}) =>
  JSON.stringify({ format: 1, name: "app", include: ["dist"], interpreter: "none", ...more });
const put = (tree: TreeContents) => writeTree(world.source, tree);
const paths = ({ plan }: AssembledRuntime) => [...plan].map(({ path }) => path).sort();
const jsonOf = ({ plan }: AssembledRuntime) => {
  const entry = [...plan].find(({ path }) => path === "generation.json");
  return entry?.kind === "bytes" ? Buffer.from(entry.bytes).toString() : null;
};

async function refusal(assembling: Promise<unknown>): Promise<CodedError> {
  try {
    await assembling;
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("a folder taken whole", () => {
  test("gets a generation.json of exactly these bytes, named after the folder", async () => {
    const source = join(world.folder, "My App!");
    writeTree(source, { "a.js": "1", sub: null });
    const runtime = await world.assemble({ source, bare: true });
    expect(paths(runtime)).toEqual(["a.js", "generation.json", "sub"]);
    expect(jsonOf(runtime)).toBe(
      '{"contract":null,"entrypoints":{},"format":1,"interpreter":null,"lockfile":null,"name":"my-app-","platform":null}\n',
    );
    expect(runtime.remember).toBeNull();
  });

  test("may be named, by a valid name only", async () => {
    put({ a: "" });
    expect((await world.assemble({ bare: true, name: "other" })).name).toBe("other");
    expect((await refusal(world.assemble({ bare: true, name: "Not Valid" }))).code).toBe("invalid_input");
  });

  test("names own paths: the source by both of its names and the store's trees, none if accepted", async () => {
    put({ a: "" });
    const link = join(world.folder, "link");
    symlinkSync(world.source, link);
    expect((await world.assemble({ bare: true, source: link })).ownPaths).toEqual([
      world.source,
      link,
      world.deps.layout.generations,
    ]);
    expect((await world.assemble({ bare: true, acceptOwnPaths: true })).ownPaths).toEqual([]);
  });

  test("is refused with all findings of all kinds at once", async () => {
    put({ abs: { link: "/etc/passwd" }, "a/out": { link: "../../x" }, loop: { link: "loop" }, README: "" });
    put({ readme: "" });
    spawnSync("mkfifo", [join(world.source, "pipe")]);
    const error = await refusal(world.assemble({ bare: true }));
    expect(error.code).toBe("source_refused");
    const findings = error.fields.findings as { kind: string; path: string }[];
    expect(findings.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual(
      process.platform === "linux"
        ? ["absolute-link abs", "fifo pipe", "leaving-link a/out", "link-loop loop", "name-collision README"]
        : ["absolute-link abs", "fifo pipe", "leaving-link a/out", "link-loop loop"],
    );
  });

  test("that is missing, or is a file, is refused typed", async () => {
    expect((await refusal(world.assemble({ source: join(world.folder, "none"), bare: true }))).code).toBe(
      "not_found",
    );
    put({ file: "" });
    expect((await refusal(world.assemble({ source: join(world.source, "file"), bare: true }))).code).toBe(
      "invalid_input",
    );
  });
});

describe("which recipe", () => {
  test("is the only one; the schema and manifests of releases are none", async () => {
    put({ "dist/a": "", "generations/recipe.schema.json": "{}", "generations/app/1.json": "{}" });
    put({ "generations/app.json": recipe() });
    expect((await world.assemble()).name).toBe("app");
  });

  test("must be said where there are two, and the choices are named", async () => {
    put({ "dist/a": "", "generations/one.json": recipe(), "generations/two.json": recipe({ name: "two" }) });
    const error = await refusal(world.assemble());
    expect(error.code).toBe("invalid_input");
    const choices = ["one", "two"].map((name) => `--recipe ${world.source}/generations/${name}.json`);
    expect(error.hint).toBe(`Name one: ${choices.join(", or ")}`);
    expect((await world.assemble({ recipe: "generations/two.json" })).name).toBe("two");
  });

  test("missing is refused with the way out, and --bare beside --recipe is refused", async () => {
    put({ "dist/a": "" });
    expect((await refusal(world.assemble())).hint).toContain("--bare");
    expect((await refusal(world.assemble({ recipe: "none.json" }))).code).toBe("not_found");
    expect((await refusal(world.assemble({ recipe: "none.json", bare: true }))).code).toBe("invalid_input");
  });
});

describe("a recipe's tree", () => {
  test("holds what is included, and neither recipes nor node_modules", async () => {
    put({ "dist/a.js": "", "dist/a.d.ts": "", "src/b.ts": "", "node_modules/x/i.js": "", "notes/n.md": "" });
    put({ "generations/app.json": recipe({ include: ["**"], exclude: ["**/*.d.ts", "notes"] }) });
    expect(paths(await world.assemble())).toEqual(["dist/a.js", "generation.json", "src/b.ts"]);
  });

  test("as-is dependencies come with it, without what package managers keep for themselves", async () => {
    put({ "dist/a.js": "", "node_modules/x/i.js": "", "node_modules/.bin/x": { link: "../x/i.js" } });
    put({
      "node_modules/.package-lock.json": "{}",
      "node_modules/.modules.yaml": "",
      "node_modules/x/docs/d": "",
    });
    put({ "node_modules/x/node_modules/.yarn-state.yml": "" });
    put({
      "generations/app.json": recipe({ dependencies: { mode: "as-is" }, exclude: ["node_modules/*/docs"] }),
    });
    expect(paths(await world.assemble())).toEqual([
      "dist/a.js",
      "generation.json",
      "node_modules/.bin/x",
      "node_modules/x/i.js",
    ]);
  });

  test("an include that matches nothing is refused at its line, with what to do", async () => {
    put({ "source/a.js": "", "generations/app.json": recipe({ include: ["dist/**", "sorce/**", "zzz"] }) });
    const { code, message } = await refusal(world.assemble());
    expect(code).toBe("recipe_invalid");
    expect(message).toContain("include[0]: dist/** matches nothing: build the project first");
    expect(message).toContain("include[1]: sorce/** matches nothing: did you mean source/**?");
    expect(message).toContain("include[2]: zzz matches nothing: correct it or leave it out");
  });

  test("entry points that are not there are refused, each named", async () => {
    const entrypoints = {
      cli: "dist/cli.js",
      mcp: "dist/mpc.js",
      owner: "dist",
      hooks: { Stop: "dist/hooks/stop.js" },
      skills: ["dist/skills", "dist/none"],
      wrapper: "node_modules/w/w.js",
    };
    put({
      "dist/cli.js": { link: "real/cli.js" },
      "dist/real/cli.js": "",
      "dist/mcp.js": "",
      "dist/skills/a/SKILL.md": "",
    });
    put({ "generations/app.json": recipe({ entrypoints }) });
    const { message } = await refusal(world.assemble());
    expect(
      message
        .split("\n")
        .slice(1)
        .map((line) => line.replace(/^.*?\d+:\d+: /, "")),
    ).toEqual([
      "entrypoints.owner: dist is a folder, not a program",
      "entrypoints.mcp: dist/mpc.js is not in the runtime; did you mean dist/mcp.js?",
      "entrypoints.hooks.Stop: dist/hooks/stop.js is not in the runtime; is it included, and built?",
      "entrypoints.skills[1]: dist/none is not in the runtime; is it included, and built?",
    ]);
  });

  test("an entry point among the dependencies is looked for once they are there", async () => {
    put({ "dist/a": "", "node_modules/w/w.js": "" });
    const dependencies = { mode: "as-is" };
    put({
      "generations/app.json": recipe({ dependencies, entrypoints: { wrapper: "node_modules/w/none.js" } }),
    });
    expect((await refusal(world.assemble())).message).toContain("entrypoints.wrapper");
  });

  test("two folders with the same content have the same generation.json", async () => {
    put({ "dist/a": "", "generations/app.json": recipe() });
    const elsewhere = join(world.folder, "elsewhere");
    writeTree(elsewhere, { "dist/a": "", "generations/app.json": recipe() });
    expect(jsonOf(await world.assemble())).toBe(jsonOf(await world.assemble({ source: elsewhere })));
  });
});

describe("the interpreter", () => {
  const node = realpathSync(process.execPath);

  test("is the one that runs, with its version, and the digest that git computes", async () => {
    put({ "dist/a": "", "generations/app.json": recipe({ interpreter: "running" }) });
    const runtime = await world.assemble();
    const repository = join(world.folder, "referee.git");
    spawnSync("git", ["init", "-q", "--bare", "--object-format=sha256", repository]);
    const { stdout } = spawnSync("git", ["-C", repository, "hash-object", "--no-filters", node], {
      encoding: "utf8",
    });
    expect(runtime.generationFile.interpreter).toEqual({
      name: "node",
      version: process.version,
      digest: stdout.trim(),
      path: "bin/node",
    });
    expect([...runtime.plan].find(({ path }) => path === "bin/node")).toMatchObject({
      executable: true,
      from: node,
    });
    expect(runtime.generationFile.platform).toMatch(/^(linux|darwin)-(x64|arm64)(-musl)?$/);
  });

  test("is asked only once, as long as it does not change", async () => {
    put({ "dist/a": "", "generations/app.json": recipe({ interpreter: "running" }) });
    const first = await world.assemble();
    const asked = world.commands.filter((command) => command.includes(" -p ")).length;
    expect(asked).toBe(1);
    expect(jsonOf(await world.assemble())).toBe(jsonOf(first));
    expect(world.commands.filter((command) => command.includes(" -p "))).toHaveLength(1);
  });

  test.each([
    ["a script", '#!/bin/sh\necho \'["node","v24.0.0","137"]\'\n', "is a script or a shim"],
    ["no program", "\x7fELFnonsense", "does not run"],
  ])("that is %s is refused", async (_, content, why) => {
    put({ "dist/a": "", fake: { executable: content } });
    put({ "generations/app.json": recipe({ interpreter: { path: "fake" } }) });
    const error = await refusal(world.assemble());
    expect(error.code).toBe("recipe_invalid");
    expect(error.message).toContain(why);
    expect(error.hint).toContain('the npm package "node"');
  });

  test("that is another program is refused", async () => {
    put({ "dist/a": "", "generations/app.json": recipe({ interpreter: { path: "fake" } }) });
    copyFileSync(realpathSync("/bin/true"), join(world.source, "fake"));
    chmodSync(join(world.source, "fake"), 0o755);
    expect((await refusal(world.assemble())).message).toContain("does not answer as Node.js does");
  });

  test("that is missing is refused, and one beside the recipe's own bin/node collides", async () => {
    put({ "dist/a": "", "generations/app.json": recipe({ interpreter: { path: "none" } }) });
    expect((await refusal(world.assemble())).message).toContain("cannot be read (ENOENT)");
    put({ "bin/node": "", "generations/app.json": recipe({ include: ["bin"], interpreter: "running" }) });
    expect((await refusal(world.assemble())).message).toContain("path-collision: bin/node");
  });

  test("that links a foreign library is refused with the way out, and recorded where it is accepted", async () => {
    const ldd = `	libnode.so.1 => /opt/lib/libnode.so.1 (0x0)\n	libc.so.6 => /lib64/libc.so.6 (0x0)\n`;
    const otool = `x:\n	/opt/lib/libnode.so.1 (compatibility version 1.0.0, current version 1.0.0)\n`;
    const { run } = world.deps;
    const fromHomebrew = createSourceWorld({
      run: async (request) =>
        request.file === "ldd" || request.file === "otool"
          ? { kind: "exited", code: 0, stdout: request.file === "ldd" ? ldd : otool, stderr: "" }
          : run(request),
    });
    writeTree(fromHomebrew.source, {
      "dist/a": "",
      "generations/app.json": recipe({ interpreter: "running" }),
    });
    const error = await refusal(fromHomebrew.assemble());
    expect(error.message).toContain("/opt/lib/libnode.so.1");
    expect(error.hint).toContain("npm install --save-dev node");
    const interpreter = { acceptForeignLibraries: true };
    writeTree(fromHomebrew.source, { "generations/app.json": recipe({ interpreter }) });
    const { generationFile } = await fromHomebrew.assemble();
    expect(generationFile.interpreter?.foreignLibraries).toEqual(["/opt/lib/libnode.so.1"]);
    fromHomebrew.remove();
  });
});

describe("a copy of a generation", () => {
  const VALID =
    '{"contract":null,"entrypoints":{"cli":"a.js"},"format":1,"interpreter":null,"lockfile":null,"name":"copied","platform":null}\n';

  test("is taken as it is, with and without --bare", async () => {
    put({ "a.js": "", "generation.json": VALID });
    for (const request of [{}, { bare: true }]) {
      const runtime = await world.assemble(request);
      expect(runtime.name).toBe("copied");
      expect(paths(runtime)).toEqual(["a.js", "generation.json"]);
      expect([...runtime.plan].find(({ path }) => path === "generation.json")).toMatchObject({
        kind: "file",
      });
    }
    expect((await refusal(world.assemble({ name: "renamed" }))).code).toBe("invalid_input");
  });

  test.each([
    ["white space", `${VALID}\n`, "is not canonical JSON"],
    ["no JSON", "hello", "is not JSON"],
    ["another format", VALID.replace('"format":1', '"format":2'), "is malformed at format"],
    ["a missing entry point", VALID.replace("a.js", "b.js"), "b.js is not in the runtime"],
    ["an entry point outside", VALID.replace("a.js", "../a.js"), "is malformed at entrypoints.cli"],
  ])("with %s is refused", async (_, content, why) => {
    put({ "a.js": "", "generation.json": content });
    const error = await refusal(world.assemble({ bare: true }));
    expect(error.code).toBe("source_refused");
    expect(error.message).toContain(why);
  });

  test("whose interpreter is another than it says is refused", async () => {
    const content = "#!/bin/sh\n";
    const digest = createHash("sha256").update(`blob ${content.length}\0${content}`).digest("hex");
    const said = (by: string) =>
      VALID.replace(
        '"interpreter":null',
        `"interpreter":{"digest":"${by}","name":"node","path":"bin/node","version":"v24.0.0"}`,
      );
    put({ "a.js": "", "bin/node": { executable: content }, "generation.json": said(digest) });
    expect((await world.assemble()).name).toBe("copied");
    put({ "generation.json": said(digest.replace(/^./, (first) => (first === "0" ? "1" : "0"))) });
    expect((await refusal(world.assemble())).message).toContain("names another interpreter");
  });
});

describe("provenance", () => {
  const git = (...args: string[]) =>
    spawnSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      cwd: world.source,
      encoding: "utf8",
    });

  test("is the commit, and whether there are changes; the plan stays the same", async () => {
    put({ "dist/a": "", "generations/app.json": recipe() });
    expect((await world.assemble()).provenance).toEqual({ source: world.source, commit: null, dirty: null });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "x");
    const commit = git("rev-parse", "HEAD").stdout.trim();
    const clean = await world.assemble();
    expect(clean.provenance).toEqual({ source: world.source, commit, dirty: false });
    put({ "unrelated.txt": "" });
    const dirty = await world.assemble();
    expect(dirty.provenance).toEqual({ source: world.source, commit, dirty: true });
    expect(paths(dirty)).toEqual(paths(clean));
  });

  test("starts no program that a repository names", async () => {
    put({ a: "" });
    git("init", "-q");
    const canary = join(world.folder, "canary");
    const program = join(world.folder, "monitor");
    writeFileSync(program, `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    git("config", "core.fsmonitor", program);
    git("status");
    expect(readFileSync(canary, "utf8")).toBe("");
    spawnSync("rm", [canary]);
    await world.assemble({ bare: true });
    expect(() => readFileSync(canary)).toThrow("ENOENT");
  });

  test("is the caller's where the folder was unpacked from an archive", async () => {
    put({ a: "" });
    mkdirSync(join(world.source, ".git"));
    const provenance = { source: "x.tgz", commit: null, dirty: null };
    expect((await world.assemble({ bare: true, provenance })).provenance).toEqual(provenance);
    expect(world.commands).toEqual([]);
  });
});
