import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MINIMUM_NODE } from "../../src/operations/supported-node.ts";

const CHECKOUT = new URL("../../", import.meta.url).pathname;
const SHELLS = [
  ["/bin/sh"],
  ["/usr/bin/dash"],
  ["/bin/bash", "--posix"],
  ["/bin/bash"],
  ["/bin/busybox", "sh"],
  ["/usr/bin/busybox", "sh"],
].filter(([program = ""]) => existsSync(program));

let world: string;
let launcher: string;

beforeEach(() => {
  world = realpathSync(mkdtempSync(join(tmpdir(), "cli-launcher-")));
  mkdirSync(join(world, "package/bin"), { recursive: true });
  for (const name of ["swarm-gen", "start.cjs"]) {
    copyFileSync(join(CHECKOUT, "bin", name), join(world, "package/bin", name));
  }
  launcher = join(world, "package/bin/swarm-gen");
});

afterEach(() => rmSync(world, { recursive: true }));

/** A program in node's place that prints which one it is, its arguments and its environment. */
function placeNode(path: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, '#!/bin/sh\nfor word in "$0" "$@"; do echo "<$word>"; done\n/usr/bin/env\n');
  chmodSync(path, 0o755);
}

function launch(
  words: readonly string[],
  env: Record<string, string> = {},
  command: readonly string[] = [launcher],
): { code: number | null; out: string; err: string } {
  const [program = "", ...rest] = [...command, ...words];
  const { status, stdout, stderr } = spawnSync(program, rest, { cwd: world, env, encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

const firstLine = (text: string) => text.split("\n")[0];

describe("which node starts", () => {
  it("the one beside it, else the checkout's pinned one, else the one in PATH", () => {
    const PATH = join(world, "path");
    placeNode(join(PATH, "node"));
    expect(firstLine(launch([], { PATH }).out)).toBe(`<${PATH}/node>`);
    placeNode(join(world, "package/node_modules/node/bin/node"));
    expect(firstLine(launch([], { PATH }).out)).toBe(`<${world}/package/bin/../node_modules/node/bin/node>`);
    placeNode(join(world, "package/bin/node"));
    expect(firstLine(launch([], { PATH }).out)).toBe(`<${world}/package/bin/node>`);
  });

  it("without any it is unsupported_node, exit 8, in one sentence or as JSON", () => {
    const people = launch(["ls"], { PATH: join(world, "nothing") });
    expect(people.code).toBe(8);
    expect(people.out).toBe("");
    expect(people.err).toMatch(
      /^error\[unsupported_node\]: swarm-gen needs Node 22\.19 or newer[^\n]*\nhint: [^\n]*\n$/,
    );
    const json = launch(["ls", "--json"], { PATH: join(world, "nothing") });
    expect(json.code).toBe(8);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, code: "unsupported_node", retryable: false });
    expect(launch(["run", "a", "--", "cli", "--json"], { PATH: "" }).out).toBe("");
  });
});

describe.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))("under %s", (_name, shell) => {
  it("arguments arrive as they are", () => {
    placeNode(join(world, "package/bin/node"));
    const words = ["a b", "", "*", "new\nline", "'\"$x`", "--flag=ü", "-"];
    const { out } = launch(words, {}, [...shell, launcher]);
    expect(
      out.startsWith(
        [`${world}/package/bin/node`, "--max-semi-space-size=2", `${world}/package/bin/start.cjs`, ...words]
          .map((word) => `<${word}>\n`)
          .join(""),
      ),
    ).toBe(true);
  });

  it("no variable of Node or the loader reaches node, and every other one does", () => {
    placeNode(join(world, "package/bin/node"));
    const { code, out } = launch(
      [],
      {
        NODE_OPTIONS: "--require=/evil.js",
        NODE_PATH: "/evil",
        NODE_EXTRA_CA_CERTS: 'it\'s\n"quoted"',
        LD_LIBRARY_PATH: "/evil",
        LD_EMPTY: "",
        DYLD_INSERT_LIBRARIES: "/evil",
        KEPT_NODE_X: "kept 'it'\nexport NODE_y z=1\nexport PATH2='x'",
        IFS: "x",
        PATH2: "kept too",
        HOME: "/home/x",
      },
      [...shell, launcher],
    );
    expect(code).toBe(0);
    expect(out).not.toMatch(/^(NODE_(?!y)|LD_|DYLD_)/m);
    expect(out).not.toContain("/evil");
    expect(out).toContain("KEPT_NODE_X=kept 'it'\nexport NODE_y z=1\nexport PATH2='x'\n");
    expect(out).toMatch(/^PATH2=kept too$/m);
    expect(out).toMatch(/^HOME=\/home\/x$/m);
  });

  it("links lead back to its own folder, from anywhere and with an empty PATH", () => {
    placeNode(join(world, "package/bin/node"));
    mkdirSync(join(world, "links and\nmore"));
    symlinkSync("../package/bin/swarm-gen", join(world, "links and\nmore/one"));
    symlinkSync("links and\nmore/one", join(world, "two"));
    symlinkSync(join(world, "two"), join(world, "three"));
    for (const path of ["three", "two", join(world, "three"), "links and\nmore/one"]) {
      const { out } = launch(["--version"], { PATH: "" }, [...shell, path]);
      const start = /^<([^>]*start\.cjs)>$/m.exec(out)?.[1] ?? "";
      expect(realpathSync(resolve(world, start))).toBe(`${world}/package/bin/start.cjs`);
    }
  });
});

describe("start.cjs", () => {
  /** Runs it on this Node with some of `process` replaced before. */
  function start(pretend: string, words: string[] = []) {
    writeFileSync(join(world, "pretend.cjs"), pretend);
    return launch(words, {}, [
      process.execPath,
      "--require",
      join(world, "pretend.cjs"),
      join(world, "package/bin/start.cjs"),
    ]);
  }
  const nodeVersion = (version: string) =>
    `Object.defineProperty(process, "versions", { value: { node: "${version}" } });`;

  it.each(["0.10.48", "16.20.2", "20.19.2", "22.18.0"])(
    "refuses Node %s before it loads anything",
    (version) => {
      const people = start(nodeVersion(version));
      expect(people.code).toBe(8);
      expect(people.err).toMatch(
        /^error\[unsupported_node\]: swarm-gen needs Node 22\.19 or newer; .*\nhint: .*\n$/,
      );
      const json = start(nodeVersion(version), ["ls", "--json"]);
      expect(json.code).toBe(8);
      expect(JSON.parse(json.out)).toMatchObject({ ok: false, code: "unsupported_node" });
    },
  );

  it.each(["22.19.0", "23.0.0", "24.1.0"])("accepts Node %s", (version) => {
    expect(start(nodeVersion(version)).err).toContain("npm run build");
  });

  it("refuses another system than Linux and macOS", () => {
    const { code, out } = start('Object.defineProperty(process, "platform", { value: "win32" });', [
      "--json",
    ]);
    expect(code).toBe(8);
    expect(JSON.parse(out)).toMatchObject({ ok: false, code: "unsupported_platform" });
  });

  it("says how to build where dist is missing", () => {
    const { code, err } = start("");
    expect(code).toBe(1);
    expect(err).toContain("npm run build");
  });

  it("is written for Nodes that know neither templates nor arrows nor block scopes", () => {
    const code = readFileSync(join(CHECKOUT, "bin/start.cjs"), "utf8").replace(
      /\/\*[\s\S]*?\*\/|\/\/.*$/gm,
      "",
    );
    expect(code).not.toMatch(/=>|`|\b(?:let|const|class|async|await|import)\b|\?\.|\?\?/);
  });
});

describe("the least Node", () => {
  it("is the same in package.json, the launcher, start.cjs and the code", () => {
    const read = (path: string) => readFileSync(join(CHECKOUT, path), "utf8");
    expect(JSON.parse(read("package.json")).engines.node).toBe(">=22.19");
    expect(MINIMUM_NODE).toBe("22.19.0");
    expect(read("bin/start.cjs")).toContain("var LEAST_NODE = [22, 19];");
    expect(read("bin/swarm-gen")).toContain("needs Node 22.19 or newer");
  });
});
